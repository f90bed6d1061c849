import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openCuttingProxy } from '../server/cutting-proxy.ts';
import { beginStreamedCall } from '../server/streamed-call.ts';
import { openSite } from './site.ts';

it.each([
  ['killed', 'SIGKILL'],
  ['told to end', 'SIGTERM'],
] as const)(
  '[HOSTS-270] [HOSTS-271] SDK 1.32 gets the answer from the next server when its server is %s, and the tool runs once',
  async (_, signal) => {
    const site = await openSite('plain-server');
    writeFileSync(join(site.dir, 'options.json'), JSON.stringify({ http: { retryMs: 20 } }));
    const store = await openSqliteStore({ path: join(site.dir, 'tasks.db') });
    onTestFinished(() => store.close());
    const [victim, next] = [await site.serve(), await site.serve()];
    const proxy = await openCuttingProxy(victim.url, () => 'pass');
    const { answer } = await beginStreamedCall(proxy.url, 'gate', { name: 'a' });
    await site.untilRuns(1);
    proxy.lead(next.url);
    process.kill(victim.pid, signal);
    await until(() => !isThere(victim.pid), { what: 'the server to end', timeoutMs: 60_000 });
    writeFileSync(join(site.dir, 'open-a'), '');
    expect(await answer).toEqual({ content: [{ type: 'text', text: 'gate a is open' }] });
    expect(site.runs()).toEqual(['gate a 1']);
    await until(async () => (await store.holds.list()).length === 0, {
      what: 'the answer to count as read',
      timeoutMs: 60_000,
    });
  },
);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
