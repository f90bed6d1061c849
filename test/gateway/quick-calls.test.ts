/** Calls that only read, and are over before a task of them could be written. */
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openRawStdio } from '../e2e/raw-client.ts';
import { foreign, openGateway } from './open-gateway.ts';

const deaf = foreign('deaf-server');
const LONG_MS = 600_000;

const withQuickMs = (quickMs: number) => (dir: string) => ({ ...deaf(dir), policy: { quickMs } });

describe('a gateway before a tool that only reads', () => {
  it('[GATE-167] answers a fast call without a task, and every call of another tool with one', async () => {
    const site = await openGateway(withQuickMs(LONG_MS), { inlineMs: LONG_MS });
    const client = await openRawStdio(site, 'legacy');
    await site.open('a');
    const { result } = await client.request('tools/call', { name: 'peek', arguments: { gate: 'a' } });
    expect(result).toMatchObject({ content: [{ text: expect.any(String) }] });
    expect((await site.tasks.list()).tasks).toEqual([]);
    await client.request('tools/call', { name: 'heed', arguments: { gate: 'a' } });
    expect((await site.tasks.list()).tasks).toHaveLength(1);
  });

  it('[GATE-167] makes a task of a slow one, and of the next from the start, also in another process', async () => {
    const site = await openGateway(withQuickMs(1), { inlineMs: LONG_MS });
    const peeks = () => site.runs().filter((line) => line.startsWith('peek '));
    for (const [gate, runs] of [
      ['a', 2],
      ['b', 3],
    ] as const) {
      const client = await openRawStdio(site, 'legacy');
      const call = client.request('tools/call', { name: 'peek', arguments: { gate } });
      await until(() => peeks().length === runs, { what: 'the work to begin', timeoutMs: 60_000 });
      await site.open(gate);
      expect((await call).result).toMatchObject({ content: [{ text: expect.any(String) }] });
      expect(peeks()).toHaveLength(runs);
      await client.end();
    }
    expect((await site.tasks.list()).tasks).toHaveLength(2);
  });
});
