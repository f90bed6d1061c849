/** Programs whose code is taken off the disk, or is not whole, while they run. */
import { readFileSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openApp } from '../../engine/workers/open-app.ts';
import { openSite, type Site } from '../../engine/workers/start-program.ts';
import { untilDetached } from '../../engine/workers/until-detached.ts';

const SHORT = { workers: 'detached', leaseMs: 900, superviseMs: 50 } as const;
const PATIENT = { timeoutMs: 60_000 } as const;

/** Waits until a worker has beaten so often that its first lease is over. */
async function untilLeasesPassed(store: Store): Promise<void> {
  const seen = new Set<number>();
  const look = async () => {
    for (const { until: at } of await store.workers.list()) seen.add(at);
    return seen.size > 6;
  };
  await until(look, { ...PATIENT, what: 'the worker to beat' });
}

async function logOf(site: Site): Promise<string> {
  const name = (await readdir(site.folder)).find((one) => one.startsWith('worker-'));
  return name === undefined ? '' : readFileSync(join(site.folder, name), 'utf8');
}

describe('a program whose packages are removed while it serves', () => {
  it('[BAD-160] [BAD-161] runs its work itself, keeps its leases, and registers again when it has lost its place', async () => {
    const site = await openSite();
    const app = await openApp(site);
    const program = app.start(SHORT);
    await site.access.outcome(await program.submit('where'));
    await until(async () => (await site.store.workers.list()).length === 0, PATIENT);
    await app.remove();

    const held = await program.submit('holdOnce', { until: 'go' });
    expect((await site.untilRuns(1))[0]).toMatchObject({ isWorker: false, pid: program.child.pid });
    await untilLeasesPassed(site.store);
    await site.touch('go');
    expect(await site.access.outcome(held)).toMatchObject({ kind: 'result', value: { attempt: 1 } });

    const [worker] = await site.store.workers.list();
    const { workerId = '', until: at = 0 } = worker ?? {};
    const buried = await until(async () => {
      const [now] = await site.store.workers.list();
      return site.store.tasks.recover({ workerId, until: now?.until ?? at, reason: 'a test', delaysMs: [0] });
    }, PATIENT);
    expect(buried).toEqual([]);
    expect(await site.access.outcome(await program.submit('where'))).toMatchObject({ value: { isWorker: false } });

    await program.submit('holdOnce', { until: 'back' });
    await site.untilRuns(2);
    await app.putBack();
    expect(await untilDetached(site, program)).not.toBe(program.child.pid);
    await site.touch('back');
  });
});

describe('a worker that cannot work', () => {
  it('[BAD-162] ends with a line in its log before it takes a place, and the work is done without it', async () => {
    const site = await openSite();
    const app = await openApp(site);
    const heartbeat = join(app.holdfast, 'dist', 'engine', 'heartbeat');
    await rm(join(heartbeat, 'heartbeat-thread.js'));
    await writeFile(join(heartbeat, 'thread-source.js'), "export const THREAD_SOURCE = '';\n");
    const program = app.start(SHORT);
    const held = await program.submit('holdOnce', { until: 'go' });
    expect((await site.untilRuns(1))[0]).toMatchObject({ isWorker: false });
    await untilLeasesPassed(site.store);
    expect((await site.store.workers.list()).filter(({ state }) => state === 'ready')).toMatchObject([
      { kind: 'inline', process: { pid: program.child.pid } },
    ]);
    await site.touch('go');
    expect(await site.access.outcome(held)).toMatchObject({ kind: 'result', value: { attempt: 1 } });
    await program.end();
    expect(await program.stderr).toMatch(/end with it for now: the worker ended \(code 70\)/);
    expect(await logOf(site)).toMatch(/heartbeat-thread/);
  });
});
