// A server of models that others wrote, with what it says.
import { LLMock } from '@copilotkit/aimock';

// What a fixture says beside its response.
const ASIDE = ['chaos', 'latency', 'chunkSize', 'truncateAfterChunks', 'disconnectAfterMs'];

// Each answer as often as it is given.
export const inOrder = (answers) => answers.flatMap(({ times = 1, ...answer }) => Array(times).fill(answer));

// Not started. What it says, in order; `times` requests get each answer.
export function serve(answers) {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  const seen = new Map(); // A predicate may be asked about one request more than once.
  const nth = (request) => seen.get(request) ?? (seen.set(request, seen.size), seen.size - 1);
  for (const [i, answer] of inOrder(answers).entries()) {
    const { front, ...said } = answer; // what is done to it on the way: provider_table.mjs
    const [aside, response] = [true, false].map((is) =>
      Object.fromEntries(Object.entries(said).filter(([key]) => ASIDE.includes(key) === is)),
    );
    mock.addFixture({ match: { predicate: (request) => nth(request) === i }, response, ...aside });
  }
  return mock;
}
