// gramc serve --mcp before further official clients: the second SDK's, in both eras, and the MCP
// inspector's, each over standard input and output and over HTTP:
//     mcp_clients.mjs GRAMC SUPPORT
import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {Client, StreamableHTTPClientTransport} from '@modelcontextprotocol/client';
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio';

const gramc = path.resolve(process.argv[2]), box = path.resolve(process.argv[3], 'mcp_box.py');
const inspector = path.join(import.meta.dirname, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-clients-'));
const token = 'a-token-of-the-test';
const library = more => `[point:Tool {description: "Points", title: "A point", readOnly: true} | ()==>(::Text)]
[tools:ToolLibrary |
  [add:ToolImpl {builtin: "math.add", description: "Adds"} | (x::Int)==>(y::Int)==>(::Int)],
  [point:ToolImpl {exec: ["echo", "{\\"x\\": 1}"]} | ()==>(::Object {fields: {x: Int}})],
  [wrong:ToolImpl {exec: ["echo", "{\\"x\\": true}"]} | ()==>(::Object {fields: {x: Int}})],
  [slow:ToolImpl {exec: ["sleep", "2.7"]}],
  [box:McpServer {command: ["python3", "${box}", "box.json"]}]${more}]\n`;
const names = ['add', 'point', 'wrong', 'slow', 'routed'];
const boxed = [{name: 'routed', inputSchema: {type: 'object', properties: {region: {type: 'string', 'x-mcp-header': 'Region'}}}}];
const text = result => result.content[0].text;

function serve(file) {
    const server = spawn(gramc, ['serve', '--mcp', file, '--listen', '127.0.0.1:0', '--token-env', 'MCP_TOKEN', '--quiet'],
        {cwd: folder, env: {...process.env, MCP_TOKEN: token}, stdio: ['ignore', 'pipe', 'ignore']});
    return new Promise((resolve, reject) => {
        server.once('exit', code => reject(new Error(`the server has ended with ${code}`)));
        server.stdout.once('data', bytes => resolve({server, url: `${String(bytes).trim()}/mcp`}));
    });
}

const transports = {
    stdio: file => new StdioClientTransport({command: gramc, args: ['serve', '--mcp', file], cwd: folder, stderr: 'pipe'}),
    http: (file, url) => new StreamableHTTPClientTransport(new URL(url),
        {requestInit: {headers: {authorization: `Bearer ${token}`}}}),
};

async function useClient(how, options, revision) {
    const file = `${how}-${revision}.gram`;
    fs.writeFileSync(path.join(folder, file), library(''));
    const served = how === 'http' ? await serve(file) : null;
    const client = new Client({name: 'test', version: '1'}, options);
    let changed;
    const hears = new Promise(resolve => { changed = resolve; });
    try {
        client.setNotificationHandler('notifications/tools/list_changed', () => changed());
        await client.connect(transports[how](file, served?.url));
        assert.equal(client.getNegotiatedProtocolVersion(), revision);
        const {tools} = await client.listTools();
        assert.deepEqual(tools.map(tool => tool.name), names);
        assert.equal(tools[1].title, 'A point');
        assert.equal(tools[1].annotations.readOnlyHint, true);
        assert.equal(text(await client.callTool({name: 'add', arguments: {x: 2, y: 40}})), '42');
        assert.deepEqual((await client.callTool({name: 'point', arguments: {}})).structuredContent, {x: 1});
        for (const call of [{name: 'wrong', arguments: {}}, {name: 'add', arguments: {x: 2}}])
            assert.equal((await client.callTool(call)).isError, true);
        // The client repeats the argument in a header, and encodes what a header cannot hold.
        for (const region of ['north', '\u00e4 \u20ac', ' padded '])
            assert.deepEqual(JSON.parse(text(await client.callTool({name: 'routed', arguments: {region}}))), {region});
        await assert.rejects(client.callTool({name: 'nobody', arguments: {}}), {code: -32602});

        const heard = [];
        const slow = client.callTool({name: 'slow', arguments: {}}, {onprogress: p => heard.push(p.progress)});
        const stop = new AbortController();
        setTimeout(() => stop.abort(), 300);
        await assert.rejects(client.callTool({name: 'slow', arguments: {}}, {signal: stop.signal}));
        assert.equal((await slow).isError, undefined);
        assert.ok(heard.length >= 2 && heard.every((n, i) => n === i + 1), `${heard}`);

        if (revision === '2026-07-28') await client.listen({toolsListChanged: true});
        fs.writeFileSync(path.join(folder, file), library(',\n  [ping:ToolImpl {returns: "pong"}]'));
        await hears;
        assert.equal((await client.listTools()).tools.length, names.length + 1);
        assert.equal(text(await client.callTool({name: 'ping', arguments: {}})), 'pong');
        await client.close();
    } finally {
        served?.server.removeAllListeners('exit');
        served?.server.kill();
    }
    console.log(`SDK 2, ${how}: ${revision}`);
}

// {code, out}: what the inspector's command line says; its state goes to a home of its own.
function inspect(...args) {
    const options = {cwd: folder, env: {...process.env, HOME: folder}, timeout: 60000, maxBuffer: 1 << 24};
    return new Promise(resolve => {
        execFile(process.execPath, [inspector, '--cli', '--format', 'json', ...args], options,
            (error, out, err) => resolve({code: error ? error.code : 0, out, err}));
    });
}

async function useInspector(how, era) {
    const file = `inspector-${how}-${era}.gram`;
    fs.writeFileSync(path.join(folder, file), library(''));
    const served = how === 'http' ? await serve(file) : null;
    const target = how === 'http' ? ['--transport', 'http', '--server-url', served.url, '--header', `Authorization: Bearer ${token}`]
        : ['-q', '--', gramc, 'serve', '--mcp', file];
    try {
        const ask = (...args) => inspect('--protocol-era', era, ...args, ...target);
        const call = how === 'http' ? ['add', '{"x":2,"y":40}', 0] : ['wrong', '{}', 5];
        const [list, called] = await Promise.all([ask('--method', 'tools/list', '--strict'),
            ask('--method', 'tools/call', '--tool-name', call[0], '--tool-args-json', call[1])]);
        assert.equal(list.code, 0, list.err);
        assert.deepEqual(JSON.parse(list.out).result.tools.map(tool => tool.name), names);
        assert.equal(called.code, call[2], called.err);
        if (how === 'http') assert.equal(text(JSON.parse(called.out).result), '42');
    } finally {
        served?.server.removeAllListeners('exit');
        served?.server.kill();
    }
    console.log(`inspector, ${how}: ${era}`);
}

try {
    fs.writeFileSync(path.join(folder, 'box.json'), JSON.stringify(boxed));
    const auto = {versionNegotiation: {mode: 'auto'}};
    await Promise.all([useClient('stdio', {}, '2025-11-25'), useClient('stdio', auto, '2026-07-28'),
        useClient('http', {}, '2025-11-25'), useClient('http', auto, '2026-07-28')]);
    for (const era of ['legacy', 'modern']) await Promise.all([useInspector('stdio', era), useInspector('http', era)]);
} finally {
    fs.rmSync(folder, {recursive: true, force: true});
}
