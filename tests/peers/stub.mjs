// What gramc stub writes in TypeScript runs under this Node as it is: tests/house/stub.py, with it.
//     stub.mjs SOURCE GRAMC WORK
import {spawnSync} from 'node:child_process';

const [source, gramc, work] = process.argv.slice(2);
const command = [`${source}/tests/house/stub.py`, source, gramc, work, '-', process.execPath];
process.exit(spawnSync('python3', command, {stdio: 'inherit'}).status ?? 1);
