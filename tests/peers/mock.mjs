// A server of models that others wrote, with what it says.
import { LLMock } from '@copilotkit/aimock';

// Not started. What it says, in order; `times` requests get each answer.
export function serve(answers) {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  const seen = new Map(); // A predicate may be asked about one request more than once.
  const nth = (request) => seen.get(request) ?? (seen.set(request, seen.size), seen.size - 1);
  const steps = answers.flatMap(({ times = 1, ...answer }) => Array(times).fill(answer));
  for (const [i, { chaos, ...response }] of steps.entries())
    mock.addFixture({
      match: { predicate: (request) => nth(request) === i },
      response,
      ...(chaos ? { chaos } : {}),
    });
  return mock;
}
