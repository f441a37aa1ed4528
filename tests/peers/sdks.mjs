// The agents of providers.mjs by hand, for each provider's own SDK, as somebody who uses it would
// write them: a conversation with tools, whole or in pieces, and one with a structured answer.
import Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { GoogleGenAI, Type } from '@google/genai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { KEY, QUESTION, TOOLS, perform, plain } from './provider_table.mjs';

const SAMPLING = { temperature: 1, top_p: 1 };
const PENALTIES = { presence_penalty: 0, frequency_penalty: 0 };
const USER = { role: 'user', content: QUESTION };

// As tests/peers/judge.gram has it.
const JUDGE = 'Judge what is said.';
const JUDGED = { role: 'user', content: QUESTION };
const VERDICT = {
  type: 'object',
  properties: { good: { type: 'boolean' }, reasons: { type: 'array', items: { type: 'string' } } },
  required: ['good', 'reasons'],
};
const closed = { ...VERDICT, additionalProperties: false };

// With the types of Google's SDK.
const typed = (schema) => ({
  ...schema,
  type: Type[schema.type.toUpperCase()],
  ...(schema.properties
    ? { properties: Object.fromEntries(Object.entries(schema.properties).map(([key, it]) => [key, typed(it)])) }
    : {}),
});
const all = async (stream) => {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
};
const openai = (url) => new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 });
const USAGE = { stream_options: { include_usage: true } };

// What each gives is what the model said last. `differences`: what an SDK says and we do not; `same`:
// how its requests would be written by us.
export const SDKS = {
  OpenAI: {
    differences: {
      stream: [false, 'it is the default'],
      tool_choice: ['auto', 'it is the default'],
    },
    converse(url, model, stream) {
      const tools = TOOLS.map(({ run, ...tool }) => ({
        type: 'function',
        function: { ...tool, parse: JSON.parse, function: (args) => String(run(args)) },
      }));
      const request = { model, messages: [USER], ...SAMPLING, ...PENALTIES, tools };
      return openai(url)
        .chat.completions.runTools(stream ? { ...request, stream, ...USAGE } : request)
        .finalContent();
    },
    // There is no helper for these any more.
    async functions(url, model, stream) {
      const client = openai(url);
      const messages = [USER];
      for (;;) {
        const request = { model, messages, ...SAMPLING, ...PENALTIES, functions: plain };
        const completion = stream
          ? await client.chat.completions.stream({ ...request, ...USAGE }).finalChatCompletion()
          : await client.chat.completions.create(request);
        const { role, content, function_call } = completion.choices[0].message;
        if (!function_call) return content;
        const { name, arguments: args } = function_call;
        messages.push({ role, content, function_call: { name, arguments: args } });
        messages.push({ role: 'function', name, content: perform(name, JSON.parse(args)) });
      }
    },
    async judge(url, model) {
      const completion = await openai(url).chat.completions.create({
        model,
        messages: [{ role: 'system', content: JUDGE }, JUDGED],
        temperature: 0.5,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', strict: true, schema: toStrictJsonSchema(closed) },
        },
      });
      return completion.choices[0].message.content;
    },
  },

  'OpenAI-Responses': {
    differences: {},
    async converse(url, model, stream) {
      const client = openai(url);
      const tools = plain.map((tool) => ({ type: 'function', ...tool, strict: false }));
      const input = [USER];
      for (;;) {
        const request = { model, input, ...SAMPLING, tools };
        const response = stream
          ? (await all(await client.responses.create({ ...request, stream }))).at(-1).response
          : await client.responses.create(request);
        const calls = response.output.filter((item) => item.type === 'function_call');
        const said = response.output.flatMap((item) => item.content ?? []).map(({ text }) => text);
        if (calls.length === 0) return said.join('');
        input.push(...response.output);
        for (const { call_id, name, arguments: args } of calls)
          input.push({ type: 'function_call_output', call_id, output: perform(name, JSON.parse(args)) });
      }
    },
    async judge(url, model) {
      const response = await openai(url).responses.create({
        model,
        instructions: JUDGE,
        input: [JUDGED],
        temperature: 0.5,
        text: {
          format: { type: 'json_schema', name: 'answer', strict: true, schema: toStrictJsonSchema(closed) },
        },
      });
      return response.output_text;
    },
  },

  Anthropic: {
    differences: { stream: [false, 'it is the default'] },
    async converse(url, model, stream) {
      const client = new Anthropic({ baseURL: url, apiKey: KEY, maxRetries: 0 });
      const tools = TOOLS.map(({ parameters, ...tool }) => ({
        ...tool,
        input_schema: { ...parameters, additionalProperties: false },
        parse: (args) => args,
        run: (args) => String(tool.run(args)),
      }));
      const runner = client.beta.messages.toolRunner({
        model,
        max_tokens: 16384,
        messages: [USER],
        ...SAMPLING,
        tools,
        thread: false, // that it keeps on its side
        ...(stream ? { stream } : {}),
      });
      const said = stream ? await (await all(runner)).at(-1).finalMessage() : await runner;
      return said.content.map((block) => block.text).join('');
    },
    async judge(url, model) {
      const client = new Anthropic({ baseURL: url, apiKey: KEY, maxRetries: 0 });
      const message = await client.messages.create({
        model,
        max_tokens: 16384,
        system: JUDGE,
        messages: [JUDGED],
        temperature: 0.5,
        output_config: { format: jsonSchemaOutputFormat(closed) },
      });
      return message.content[0].text;
    },
  },

  Gemini: {
    differences: {},
    // It sends each piece of an answer back as a content of its own.
    same: ({ contents, ...rest }) => ({
      ...rest,
      contents: contents.reduce((joined, content) => {
        const last = joined.at(-1);
        if (last?.role !== content.role || content.role !== 'model') return [...joined, content];
        return [...joined.slice(0, -1), { ...last, parts: [...last.parts, ...content.parts] }];
      }, []),
    }),
    async converse(url, model, stream) {
      const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: url } });
      const declared = plain.map(({ parameters, ...tool }) => ({ ...tool, parameters: typed(parameters) }));
      const callable = {
        tool: async () => ({ functionDeclarations: declared }),
        callTool: async (calls) =>
          calls.map(({ id, name, args }) => ({
            functionResponse: { id, name, response: { output: perform(name, args) } },
          })),
      };
      const config = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0, tools: [callable] };
      const request = { model, contents: QUESTION, config };
      if (!stream) return (await client.models.generateContent(request)).text;
      // It gives what the tools said among what the model does.
      const pieces = await all(await client.models.generateContentStream(request));
      const parts = pieces.flatMap((piece) => piece.candidates[0].content.parts);
      return parts.slice(parts.findLastIndex((part) => part.functionResponse) + 1).map(({ text }) => text).join('');
    },
    async judge(url, model) {
      const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: url } });
      const config = {
        systemInstruction: { parts: [{ text: JUDGE }] },
        temperature: 0.5,
        responseMimeType: 'application/json',
        responseJsonSchema: VERDICT,
      };
      return (await client.models.generateContent({ model, contents: QUESTION, config })).text;
    },
  },

  Ollama: {
    differences: {},
    async converse(url, model, stream) {
      const client = new Ollama({ host: url });
      const tools = plain.map((tool) => ({ type: 'function', function: tool }));
      const messages = [USER];
      for (;;) {
        const request = { model, messages, tools, options: { ...SAMPLING, ...PENALTIES } };
        const message = stream
          ? together(await all(await client.chat({ ...request, stream })))
          : (await client.chat(request)).message;
        if (!message.tool_calls?.length) return message.content;
        messages.push(message);
        for (const { function: wanted } of message.tool_calls)
          messages.push({ role: 'tool', tool_name: wanted.name, content: perform(wanted.name, wanted.arguments) });
      }
    },
    async judge(url, model) {
      const client = new Ollama({ host: url });
      const messages = [{ role: 'system', content: JUDGE }, JUDGED];
      const request = { model, messages, format: VERDICT, options: { temperature: 0.5 } };
      return (await client.chat(request)).message.content;
    },
  },
};

// As Ollama's own examples do it.
function together(pieces) {
  const message = { role: 'assistant', content: '', tool_calls: [] };
  for (const { message: piece } of pieces) {
    message.content += piece.content;
    message.tool_calls.push(...(piece.tool_calls ?? []));
  }
  if (message.tool_calls.length === 0) delete message.tool_calls;
  return message;
}
