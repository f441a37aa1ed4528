// A server on the second official SDK, which speaks the stateless revision too:
//     mcp_modern_server.mjs stdio
//     mcp_modern_server.mjs http      prints its address, on 127.0.0.1
// Each request over HTTP tells the revision that it was sent by on stderr.
import http from 'node:http';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const object = (properties) =>
  fromJsonSchema({ type: 'object', properties, required: Object.keys(properties) });

function makeServer() {
  const server = new McpServer({ name: 'modern', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool(
    'greet',
    { description: 'Greets', inputSchema: object({ name: { type: 'string', 'x-mcp-header': 'Name' } }) },
    ({ name }) => ({ content: [{ type: 'text', text: `Hello, ${name}!` }] }),
  );
  server.registerTool(
    'add',
    {
      description: 'Adds',
      inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }),
      outputSchema: object({ sum: { type: 'number' } }),
    },
    ({ a, b }) => ({
      content: [{ type: 'text', text: JSON.stringify({ sum: a + b }) }],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool('fail', { description: 'Fails', inputSchema: object({}) }, () => ({
    content: [{ type: 'text', text: 'out of luck' }],
    isError: true,
  }));
  return server;
}

async function serveHttp() {
  const handler = createMcpHandler(makeServer);
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    console.error(`revision ${request.headers['mcp-protocol-version'] ?? 'none'}`);
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url}`, {
        method: request.method,
        headers: request.headers,
        ...(chunks.length ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  server.listen(0, '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${server.address().port}/mcp`),
  );
}

if (process.argv[2] === 'http') await serveHttp();
else serveStdio(makeServer);
