/** A program of a user, compiled and run with other versions of zod than ours: see `zod-versions.test.ts`. */
import { createEngine, createMemoryStore, createServer } from 'holdfast';
import { z } from 'zod';

const input = z.object({
  year: z.number().int().describe('four digits'),
  pages: z.number().default(1),
  at: z.string().transform((text) => new Date(text)),
});

const server = createServer({ name: 'reports', version: '1.0.0' });
server.tool('render', {
  input,
  output: z.object({ path: z.string(), size: z.number().optional() }),
  async run({ year, pages, at }, task) {
    const sum: number = year + pages + at.getFullYear();
    const schema = z.object({ confirm: z.boolean(), why: z.string().optional() });
    const { confirm } = await task.ask({ message: 'Publish?', schema });
    const isSure: boolean = confirm;
    return { path: `${sum} ${isSure}` };
  },
});
// @ts-expect-error the output needs a path
server.tool('wrong', { input: z.object({}), output: z.object({ path: z.string() }), run: () => ({ size: 1 }) });

const engine = await createEngine({
  name: 'reports',
  store: createMemoryStore(),
  tools: {
    render: { input, run: ({ pages, at }) => `${pages} pages of ${at.getUTCFullYear()}` },
    ask: {
      async run(_args: unknown, task) {
        const schema = z.object({ sure: z.boolean().describe('really') });
        return (await task.ask({ key: 'q', message: 'Sure?', schema })).sure;
      },
    },
  },
});
await engine.start();
const rendered = (await engine.submit('render', { year: 2026, at: '2026-11-17' })).task.taskId;
// @ts-expect-error the year is a number
const refused = await engine.submit('render', { year: 'x', at: '2026' }).catch((error: Error) => error.message);
const asked = (await engine.submit('ask', {})).task.taskId;
for await (const event of engine.watch(asked)) if (event.type === 'asked') break;
const answer = (sure: unknown) => engine.answer(asked, { q: { action: 'accept', content: { sure } as never } });
const unfit = await answer('maybe').catch((error: { code: string }) => error.code);
await answer(true);
const outcomes = [await engine.outcome(rendered), await engine.outcome(asked)];
const { request } = (await engine.get(asked)).questions[0] ?? {};
console.log(JSON.stringify({ refused, unfit, outcomes, request }));
await engine.close();
await server.close();
