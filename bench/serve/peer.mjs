// What gramc serve is measured beside: an agent with one tool behind /v1/chat/completions, by OpenAI's SDK
// and node's own HTTP server.
//     node peer.mjs NODE_MODULES BASE_URL
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, baseURL] = process.argv.slice(2)
const entry = createRequire(path.join(path.resolve(modules), 'any.js')).resolve('openai')
const { default: OpenAI } = await import(pathToFileURL(entry))
const client = new (OpenAI.OpenAI ?? OpenAI)({ baseURL, apiKey: 'not-a-key' })
const parameters = {
  type: 'object',
  properties: {
    location: { type: 'string', description: 'City and country' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
    days: { type: 'integer', minimum: 1, maximum: 14, default: 1 }
  },
  required: ['location']
}
const forecast = {
  type: 'function',
  function: { name: 'get_weather', description: 'Get the weather forecast for a place', parameters, parse: JSON.parse, function: () => '21 degrees and sunny' }
}
const system = { role: 'system', content: 'You answer questions about the weather.' }

const server = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  const { model, messages } = JSON.parse(text)
  const run = client.chat.completions.runTools({ model: 'mock', messages: [system, ...messages], tools: [forecast] })
  const content = await run.finalContent()
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: Math.floor(Date.now() / 1000), model, choices, usage: await run.totalUsage() }))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
