// gramc serve --mcp before the official SDK's client, over standard input and output and over HTTP:
//     mcp_served.mjs GRAMC
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {StreamableHTTPClientTransport} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
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

async function overHttp() {
    const token = 'a-token-of-the-test';
    const server = spawn(gramc, ['serve', '--mcp', 'tools.gram', '--listen', '127.0.0.1:0', '--token-env', 'MCP_TOKEN'],
        {cwd: folder, env: {...process.env, MCP_TOKEN: token}, stdio: ['ignore', 'pipe', 'pipe']});
    let log = '';
    server.stderr.on('data', bytes => { log += bytes; });
    const ended = new Promise(resolve => server.once('exit', resolve));
    try {
        const address = String(await new Promise(resolve => server.stdout.once('data', resolve))).trim();
        const url = new URL(`${address}/mcp`);
        const authorization = `Bearer ${token}`;
        const client = new Client({name: 'test', version: '1'});
        await client.connect(new StreamableHTTPClientTransport(url, {requestInit: {headers: {authorization}}}));
        assert.ok((await client.listTools()).tools.length >= 4);
        assert.deepEqual((await client.callTool({name: 'point'})).structuredContent, {x: 1});
        assert.equal((await client.callTool({name: 'wrong'})).isError, true);
        await assert.rejects(client.callTool({name: 'nobody'}), {code: -32602});
        await client.close();

        const meta = {'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {}};
        const post = (message, headers = {}) => fetch(url, {method: 'POST', body: JSON.stringify({jsonrpc: '2.0', ...message}),
            headers: {authorization, 'content-type': 'application/json', ...headers}});
        const modern = {'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add'};
        const call = {id: 1, method: 'tools/call', params: {name: 'add', arguments: {x: 1, y: 2}, _meta: meta}};
        assert.equal((await (await post(call, modern)).json()).result.structuredContent, 3);
        for (const [message, headers, status, code] of [
            [call, {}, 400, -32020],
            [call, {...modern, 'mcp-name': 'point'}, 400, -32020],
            [{...call, method: 'what'}, {...modern, 'mcp-method': 'what'}, 404, -32601],
            [{id: 1, method: 7}, {}, 400, -32600]]) {
            const answer = await post(message, headers);
            assert.deepEqual([answer.status, (await answer.json()).error.code], [status, code]);
        }
        assert.equal((await post({method: 'notifications/initialized'})).status, 202);
        assert.equal((await post(call, {authorization: 'Bearer another-token-altogether'})).status, 401);
        assert.equal((await post(call, {origin: 'http://elsewhere.example'})).status, 403);
        assert.equal((await fetch(url, {headers: {authorization}})).status, 405);
        const slow = {id: 1, method: 'tools/call', params: {name: 'slow'}};
        await assert.rejects(fetch(url, {method: 'POST', body: JSON.stringify({jsonrpc: '2.0', ...slow}),
            headers: {authorization, 'content-type': 'application/json'}, signal: AbortSignal.timeout(300)}));
        assert.equal((await (await post({id: 2, method: 'ping'})).json()).id, 2);
    } finally {
        server.kill();
    }
    assert.equal(await ended, 0);
    assert.ok(!log.includes(token), log);
}

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
    await overHttp();
    console.log(`${tools.length} tools and an agent were called, ${heard.length} times progress was heard`);
} finally {
    fs.rmSync(folder, {recursive: true, force: true});
}
