// The runs of bench_agent by agent loops of others: two requests with one tool call between them.
//     node peer.mjs openai|ai URL RUNS AT_ONCE
// Loading it, and runs that warm it up, are not counted. Prints a line as bench/measure.c does.
const [name, url, runs, atOnce] = [process.argv[2], process.argv[3], ...process.argv.slice(4).map(Number)]

const instruction = 'You answer questions about the weather.'
const question = 'What will the weather be like in Paris?'
const about = 'Get the weather forecast for a place'
const forecast = () => '21 degrees and sunny'

async function byOpenai() {
  const { default: OpenAI } = await import('openai')
  const client = new OpenAI({ baseURL: url, apiKey: 'not-a-key' })
  const parameters = {
    type: 'object',
    properties: {
      location: { type: 'string', description: 'City and country' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
      days: { type: 'integer', minimum: 1, maximum: 14, default: 1 }
    },
    required: ['location']
  }
  const tool = { name: 'get_weather', description: about, parameters, parse: JSON.parse, function: forecast }
  const messages = [{ role: 'system', content: instruction }, { role: 'user', content: question }]
  return () =>
    client.chat.completions.runTools({ model: 'mock', messages, tools: [{ type: 'function', function: tool }] }).finalContent()
}

async function byAi() {
  const { generateText, stepCountIs, tool } = await import('ai')
  const { createOpenAI } = await import('@ai-sdk/openai')
  const { z } = await import('zod')
  const model = createOpenAI({ baseURL: url, apiKey: 'not-a-key' }).chat('mock')
  const inputSchema = z.object({
    location: z.string().describe('City and country'),
    unit: z.enum(['celsius', 'fahrenheit']).default('celsius'),
    days: z.int().min(1).max(14).default(1)
  })
  const tools = { get_weather: tool({ description: about, inputSchema, execute: forecast }) }
  const messages = { instructions: instruction, prompt: question }
  return async () => (await generateText({ model, tools, ...messages, stopWhen: stepCountIs(5) })).text
}

const one = await { openai: byOpenai, ai: byAi }[name]()

async function many(count) {
  let left = count
  const worker = async () => {
    while (left-- > 0) if (!(await one()).includes('21 degrees')) throw new Error('not the answer')
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}

await many(Math.max(300, atOnce))
const before = process.cpuUsage()
const start = performance.now()
await many(runs)
const wall = performance.now() - start
const used = process.cpuUsage(before)
const perRun = microseconds => (microseconds / 1e3 / runs).toFixed(4)
console.log(
  `${runs} runs, ${atOnce} at once: ${Math.round((runs / wall) * 1e3)} runs/s, ` +
    `${perRun(used.user + used.system)} ms CPU a run (${perRun(used.user)} user), ` +
    `${(process.resourceUsage().maxRSS / 1024).toFixed(1)} MB at most`
)
process.exit(0)
