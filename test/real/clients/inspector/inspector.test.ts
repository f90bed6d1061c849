import { describe, expect, it } from 'vitest';
import { openDemo } from './open-demo.ts';

const TOOL_IS_ERROR = 5;
const says = (words: string) => ({ content: [{ type: 'text', text: words }] });

describe.each([
  ['stdio', 'modern'],
  ['stdio', 'legacy'],
  ['http', 'modern'],
  ['http', 'legacy'],
] as const)('MCP Inspector --cli over %s, %s era', (medium, era) => {
  async function open() {
    const demo = await openDemo({ medium, era });
    const call = (name: string, ...args: string[]) =>
      demo.inspect('--method', 'tools/call', '--tool-name', name, ...args.flatMap((arg) => ['--tool-arg', arg]));
    return { ...demo, call };
  }

  it('lists the tools', async () => {
    const { inspect } = await open();
    const { code, output } = await inspect('--method', 'tools/list');
    const { tools } = output as { tools: { name: string }[] };
    expect({ code, names: tools.map(({ name }) => name) }).toMatchObject({ code: 0 });
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['greet', 'slow_compute', 'confirm_delete']));
  });

  it('gets the result of a quick tool', async () => {
    const { call } = await open();
    expect(await call('greet', 'name=Ada')).toMatchObject({ code: 0, output: says('Hello, Ada!') });
  });

  it('gets the result of a slow tool, of which there was one task', async () => {
    const { call, tasks } = await open();
    expect(await call('slow_compute', 'seconds=2')).toMatchObject({ code: 0, output: says('slow: worked for 2 s') });
    expect((await tasks.list()).tasks).toMatchObject([{ status: 'completed', attempt: 1 }]);
  });

  it('is told that a tool failed, in its words', async () => {
    const { call } = await open();
    expect(await call('fail')).toMatchObject({
      code: TOOL_IS_ERROR,
      output: { ...says('failed on purpose after 0 ms'), isError: true },
    });
  });
});
