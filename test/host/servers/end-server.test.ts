/** Ending the program of a server that does not stop the work of a call. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type HostOptions } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRunning } from '../../engine/workers/start-program.ts';
import { programPath } from '../../programs/program-path.js';
import { readLines } from '../../read-lines.ts';

async function openDeaf(toOptions: (dir: string) => HostOptions, tool: string) {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-end-'));
  const host = await createHost(toOptions(dir));
  onTestFinished(async () => {
    await host.close();
    await rm(dir, { recursive: true, maxRetries: 20, retryDelay: 100 });
  });
  await host.connect('deaf', { command: process.execPath, args: [programPath('deaf-server.js'), dir] });
  const notes = () => readLines(join(dir, 'runs.txt'));
  const pids = () => notes().flatMap((line) => (/^(runs|child) /.test(line) ? [Number(line.split(' ')[1])] : []));
  const begin = async (gate: string) => {
    const call = await host.call('deaf', tool, { gate });
    await until(() => notes().some((line) => line.startsWith(`${tool} ${gate} `)), { timeoutMs: 60_000 });
    return call;
  };
  return { host, pids, begin };
}

describe.each([
  // What it starts is known to its keeper only.
  ['a child of the host', 'ask', () => ({})],
  ['held by a keeper', 'work', (dir: string) => ({ ledger: join(dir, 'calls.db'), keeper: true })],
] as const)('a server that is %s', (_, tool, toOptions) => {
  it('[HOST-53] is ended for a call that it does not stop, unless it works at another one', async () => {
    const { host, pids, begin } = await openDeaf(toOptions, tool);
    const [first, second] = [await begin('a'), await begin('b')] as const;
    expect(await first.cancel()).toBe('told');
    expect(await host.endServer('deaf', first.callId)).toBe('busy');
    expect(await second.cancel()).toBe('told');
    const before = pids();
    expect(await host.endServer('deaf', second.callId)).toBe('ended');
    expect(before).toHaveLength(tool === 'work' ? 3 : 1);
    await until(async () => !(await Promise.all(before.map(isRunning))).includes(true), { timeoutMs: 60_000 });
    expect(await host.tools('deaf')).toHaveLength(4);
  });

  it('[HOST-54] is let go of by its name, which is free again', async () => {
    const { host } = await openDeaf(toOptions, tool);
    expect(await host.tools('deaf')).toHaveLength(4);
    await host.disconnect('deaf');
    await expect(host.tools('deaf')).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' });
  });
});
