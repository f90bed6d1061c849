import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fetchTool } from '../../../scripts/fetched/fetch-tool.mjs';
import { collect, openDesk, textOf } from '../../host/open-host.ts';

const EVERYTHING = { name: '@modelcontextprotocol/server-everything', version: '2026.8.31' };

async function connect() {
  const folder = await fetchTool(EVERYTHING);
  const desk = await openDesk();
  const host = await desk.host({ onQuestion: () => ({ action: 'accept', content: { interpretation: 'technical' } }) });
  const script = join(folder, 'node_modules', EVERYTHING.name, 'dist', 'index.js');
  await host.connect('everything', { command: process.execPath, args: [script], stderr: 'ignore' });
  const names = (await host.tools('everything')).map(({ name }) => String(name));
  return { host, names };
}

describe('server-everything', () => {
  it('its long tool ends with its result, and tells its progress', async () => {
    const { host, names } = await connect();
    const tool = names.find((name) => /long-?running/i.test(name)) ?? '';
    const call = await host.call('everything', tool, { duration: 2, steps: 4 });
    expect(textOf(await call.outcome())).toContain('Long running operation completed');
    const progress = (await collect(call.updates())).filter(({ type }) => type === 'progress');
    expect(progress).toHaveLength(4);
  });

  it('its task tool is followed to its end, with the question it asks', async () => {
    const { host, names } = await connect();
    const tool = names.find((name) => /research/i.test(name)) ?? '';
    const call = await host.call('everything', tool, { topic: 'python', ambiguous: true });
    expect(await call.outcome()).toMatchObject({ kind: 'result', isError: false });
    const [{ handle } = {}] = await host.calls();
    expect(handle?.dialect).toBe('tasks-2025');
    const asked = (await collect(call.updates())).filter(({ type }) => type === 'question');
    expect(asked).toHaveLength(1);
  });
});
