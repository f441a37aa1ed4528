// The agent of run.sh for promptfoo: as many requests as the model wants calls of tools; which of two tool
// libraries answers them is in the configuration. It does no more than that: no limits, no checks.
import http from 'node:http'

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
const server = new URL(`${process.env.MOCK_URL}/chat/completions`)
const parameters = {
  type: 'object',
  properties: {
    location: { type: 'string' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
    days: { type: 'integer', default: 1 }
  },
  required: ['location']
}
const tools = [{ type: 'function', function: { name: 'get_weather', description: 'Get the weather for a location', parameters } }]
const libraries = {
  A: ({ location }) => JSON.stringify({ location, degrees: 21 }),
  B: ({ location }) => JSON.stringify({ location, degrees: 21, sky: 'sunny' })
}

function post(document) {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(document)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const request = http.request(server, { method: 'POST', agent, headers }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', part => (text += part))
      response.on('end', () => resolve(JSON.parse(text)))
    })
    request.on('error', reject)
    request.end(body)
  })
}

export default class Weatherman {
  constructor({ config }) {
    this.library = config.library
  }
  id() {
    return `library ${this.library}`
  }
  async callApi(prompt) {
    const messages = [
      { role: 'system', content: 'You are a weather assistant. Use the tools.' },
      { role: 'user', content: prompt }
    ]
    for (;;) {
      const { message } = (await post({ model: 'mock', messages, tools })).choices[0]
      messages.push(message)
      if (!message.tool_calls) return { output: message.content }
      for (const call of message.tool_calls) {
        const content = libraries[this.library](JSON.parse(call.function.arguments))
        messages.push({ role: 'tool', tool_call_id: call.id, content })
      }
    }
  }
}
