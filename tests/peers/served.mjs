// gramc serve with a model that streams: what tests of its clients begin with.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

const wait = ms => new Promise(done => setTimeout(done, ms));

// Calls `look` where the message says so, counts slowly where it says `slow`, tells its instruction where
// it says `instructed`, else repeats what was said.
async function answer(request, response) {
    let text = '';
    for await (const piece of request) text += piece;
    const asked = JSON.parse(text), last = asked.messages.at(-1);
    const said = asked.messages.filter(m => m.role === 'user').map(m => m.content);
    if (said.at(-1).includes('fail')) {
        response.writeHead(400, {'Content-Type': 'application/json'});
        response.end(JSON.stringify({error: {message: 'no such luck'}}));
        return;
    }
    const calls = said.at(-1).includes('look') && last.role === 'user';
    const slow = said.at(-1).includes('slow');
    const system = asked.messages.filter(m => m.role === 'system').map(m => m.content);
    const words = calls ? ['Let me look.'] : said.at(-1).includes('instructed') ? system : slow ? Array.from({length: 50}, (_, i) => `word${i} `)
        : ['You said: ', said.join(', then '), last.role === 'tool' ? ` (${last.content.trim()})` : ''];
    const call = {id: 'call_9', type: 'function', function: {name: 'look', arguments: '{"where":"here"}'}};
    const usage = {prompt_tokens: 7, completion_tokens: 5, total_tokens: 12};
    const head = {id: 'c', created: 1, model: 'm'};
    if (!asked.stream) {
        if (slow) await wait(3000);
        response.writeHead(200, {'Content-Type': 'application/json'});
        response.end(JSON.stringify({...head, object: 'chat.completion', usage, choices: [{index: 0,
            finish_reason: calls ? 'tool_calls' : 'stop',
            message: {role: 'assistant', content: words.join(''), ...(calls ? {tool_calls: [call]} : {})}}]}));
        return;
    }
    response.writeHead(200, {'Content-Type': 'text/event-stream'});
    const put = (delta, finish_reason = null) => response.write(`data: ${JSON.stringify({...head,
        object: 'chat.completion.chunk', choices: [{index: 0, delta, finish_reason}]})}\n\n`);
    for (const word of words) {
        if (response.destroyed) return;
        put({content: word});
        if (slow) await wait(100);
    }
    if (calls) put({tool_calls: [{index: 0, ...call}]});
    put({}, calls ? 'tool_calls' : 'stop');
    response.end(`data: ${JSON.stringify({...head, object: 'chat.completion.chunk', choices: [], usage})}\n\ndata: [DONE]\n\n`);
}

export async function serve(gramc, ...options) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'served-'));
    const model = http.createServer(answer);
    await new Promise(done => model.listen(0, '127.0.0.1', done));
    fs.writeFileSync(path.join(folder, 'clerk.gram'), `[clerk:Agent {description: "Looks things up", model: "OpenAI/m", instruction: "Help."} |
  [look:Tool {description: "Looks", optional: true} | (where::Text)==>(::Text)]]
[guide:Agent {description: "Guides people", model: "OpenAI/m", instruction: "Speak \${language}."}]
`);
    fs.writeFileSync(path.join(folder, 'tools.gram'), `[desk:ToolLibrary {description: "d"} | [look:ToolImpl {returns: "a desk <img src=x onerror=alert(1)>"}]]
[attic:ToolLibrary {description: "d"} | [look:ToolImpl {exec: ["sh", "-c", "sleep 0.2; echo dust"]}]]
`);
    const child = spawn(path.resolve(gramc), ['serve', 'clerk.gram', '-l', 'tools.gram#desk', '-l', 'tools.gram#attic', '--listen', '127.0.0.1:0',
        '--base-url', `http://127.0.0.1:${model.address().port}/v1`, ...options],
    {cwd: folder, env: {...process.env, OPENAI_API_KEY: 'x', SERVE_TOKEN: 'a-token-of-the-test'}, stdio: ['ignore', 'pipe', 'pipe']});
    let log = '';
    child.stderr.on('data', piece => { log += piece; });
    const {value: address} = await readline.createInterface(child.stdout)[Symbol.asyncIterator]().next();
    if (!address) throw new Error(`gramc serve: ${log}`);
    return {
        address,
        log: () => log,
        async stop() {
            const ended = new Promise(done => child.on('exit', done));
            child.kill('SIGTERM');
            const code = await ended;
            model.closeAllConnections();
            model.close();
            fs.rmSync(folder, {recursive: true});
            if (code !== 0) throw new Error(`gramc serve ended with ${code}: ${log}`);
        },
    };
}
