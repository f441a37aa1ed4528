// gramc serve --mcp before the official SDK's client, over standard input and output:
//     mcp_served.mjs GRAMC
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {ToolListChangedNotificationSchema} from '@modelcontextprotocol/sdk/types.js';

const gramc = path.resolve(process.argv[2]);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-served-'));
const file = path.join(folder, 'tools.gram');
const library = more => `[tools:ToolLibrary |
  [add:ToolImpl {builtin: "math.add", description: "Adds"} | (x::Int)==>(y::Int)==>(::Int)],
  [point:ToolImpl {exec: ["echo", "{\\"x\\": 1}"]} | ()==>(::Object {fields: {x: Int}})],
  [wrong:ToolImpl {exec: ["echo", "{\\"x\\": true}"]} | ()==>(::Object {fields: {x: Int}})],
  [slow:ToolImpl {exec: ["sleep", "3"]}]${more}]\n`;

async function connect(...args) {
    const client = new Client({name: 'test', version: '1'});
    const command = {command: gramc, args: ['serve', '--mcp', ...args], cwd: folder, stderr: 'pipe'};
    await client.connect(new StdioClientTransport(command));
    return client;
}

const text = result => result.content[0].text;

try {
    fs.writeFileSync(file, library(''));
    const client = await connect('tools.gram');
    assert.equal(client.getServerVersion().name, 'gramc');
    const {tools} = await client.listTools();
    assert.deepEqual(tools.map(tool => tool.name), ['add', 'point', 'wrong', 'slow']);

    assert.equal(text(await client.callTool({name: 'add', arguments: {x: 2, y: 40}})), '42');
    // The client checks the structure against the schema that was listed.
    assert.deepEqual((await client.callTool({name: 'point'})).structuredContent, {x: 1});
    for (const [call, why] of [[{name: 'wrong'}, /is not what it promises/],
        [{name: 'add', arguments: {x: 2}}, /y: missing/]]) {
        const result = await client.callTool(call);
        assert.equal(result.isError, true);
        assert.match(text(result), why);
    }
    await assert.rejects(client.callTool({name: 'nobody'}), {code: -32602});

    // Progress keeps a call alive that would have run into its time otherwise.
    const heard = [];
    const options = {timeout: 2000, resetTimeoutOnProgress: true, onprogress: p => heard.push(p.progress)};
    assert.equal((await client.callTool({name: 'slow'}, undefined, options)).isError, undefined);
    assert.ok(heard.length >= 2 && heard.every((n, i) => !i || n > heard[i - 1]), `${heard}`);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    await assert.rejects(client.callTool({name: 'slow'}, undefined, {signal: stop.signal}));

    const changed = new Promise(resolve => {
        client.setNotificationHandler(ToolListChangedNotificationSchema, resolve);
    });
    fs.writeFileSync(file, library(',\n  [ping:ToolImpl {returns: "pong"}]'));
    await changed;
    assert.equal((await client.listTools()).tools.at(-1).name, 'ping');
    assert.equal(text(await client.callTool({name: 'ping'})), 'pong');
    await client.close();

    fs.writeFileSync(path.join(folder, 'agent.gram'), `[clerk:Agent {description: "Is a clerk", model: "OpenAI/gpt-4o"} |
  [ping:Tool {description: "Pings"} | ()==>(::Text)]]\n[desk:ToolLibrary | [ping:ToolImpl {returns: "pong"}]]\n`);
    const clerk = await connect('agent.gram', '--agent', 'clerk', '--model', 'mock');
    assert.deepEqual((await clerk.listTools()).tools.map(tool => tool.name), ['clerk']);
    assert.equal(text(await clerk.callTool({name: 'clerk', arguments: {message: 'ping'}})), 'pong');
    await clerk.close();
    console.log(`${tools.length} tools and an agent were called, ${heard.length} times progress was heard`);
} finally {
    fs.rmSync(folder, {recursive: true, force: true});
}
