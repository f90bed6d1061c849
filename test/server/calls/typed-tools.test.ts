/** The compiler's part of these claims is checked by `tsc -p test`: an expected error that does not come is one. */
import { createServer, type HoldfastServer, type ServerOptions } from 'holdfast';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { openHttp, postModern, readJson } from '../open-http.ts';

const open = (options: Partial<ServerOptions> = {}) => createServer({ name: 'typed', version: '1', ...options });

const input = z.object({ pages: z.number().default(3) });
const output = z.object({ text: z.string() });

/** What a client of a server with these tools gets. */
async function serve(prepare: (server: HoldfastServer) => void) {
  const rig = await openHttp();
  const url = await rig.serve({}, prepare);
  return async (name: string) =>
    (await readJson(await postModern(url, { method: 'tools/call', params: { name } }))).result;
}

describe('tools of a server', () => {
  it('[ROOMS-150] with `output` return what fits it, or a whole result', async () => {
    const call = await serve((server) => {
      server.tool('fits', {
        task: 'never',
        input,
        output,
        run: async (args) => {
          expectTypeOf(args).toEqualTypeOf<{ pages: number }>();
          return { text: `${args.pages} pages` };
        },
      });
      server.tool('whole', {
        task: 'never',
        output,
        run: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
      });
      // @ts-expect-error the text is no number
      server.tool('wrong', { task: 'never', output, run: () => ({ text: 1 }) });
      // @ts-expect-error nor may it come later
      server.tool('later', { task: 'never', output, run: async () => ({ text: 1 }) });
      // @ts-expect-error a text is no object
      server.tool('plain', { task: 'never', output: { type: 'object' }, run: async () => 'text' });
      server.tool('free', { task: 'never', run: () => 'text' });
    });
    expect(await call('fits')).toMatchObject({ structuredContent: { text: '3 pages' } });
    expect(await call('whole')).toMatchObject({ isError: true });
    expect(await call('wrong')).toMatchObject({ isError: true });
    expect(await call('later')).toMatchObject({ isError: true });
  });

  it('[ROOMS-151] have only the annotations of MCP', () => {
    const server = open();
    server.tool('right', { annotations: { readOnlyHint: true, title: 'Right' }, run: () => '' });
    // @ts-expect-error it is `readOnlyHint`
    server.tool('wrong', { annotations: { readonlyHint: true }, run: () => '' });
  });

  it('[ROOMS-152] have only the fields of `asyncTask` that are read', () => {
    const server = open({ asyncTask: { optional: 'asked', tools: ['a'] } });
    server.tool('right', { asyncTask: { promptAlways: true, stateFileName: 'state.json' }, run: () => '' });
    // @ts-expect-error it is `promptAlways`
    expect(() => server.tool('wrong', { asyncTask: { promptAllways: true }, run: () => '' })).toThrow('promptAlways?');
    // @ts-expect-error it is `tools`
    expect(() => open({ asyncTask: { tool: ['a'] } })).toThrow('asyncTask: tool is not known (did you mean tools?)');
  });

  it('[ROOMS-153] get from a step what JSON makes of it, also when they are never a task', async () => {
    const call = await serve((server) =>
      server.tool('day', {
        task: 'never',
        run: async (_args, task) => {
          const at = await task.step('at', () => new Date(0));
          expectTypeOf(at).toEqualTypeOf<string>();
          return at.slice(0, 10);
        },
      }),
    );
    expect(await call('day')).toMatchObject({ content: [{ text: '1970-01-01' }] });
  });
});
