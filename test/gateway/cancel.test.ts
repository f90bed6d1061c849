/** A cancel at a gateway whose server ignores it. */
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { stopCall } from '../../src/gateway/calls/stop-call.ts';
import { openRawStdio, type RawClient } from '../e2e/raw-client.ts';
import { begin, finish } from '../e2e/raw-task.ts';
import { isRunning } from '../engine/workers/start-program.ts';
import { foreign, type GatewaySite, openGateway } from './open-gateway.ts';

const deaf = foreign('deaf-server');
const PATIENCE = { timeoutMs: 60_000 };

const pidsOf = (site: GatewaySite, what: string) =>
  site.runs().flatMap((line) => (line.startsWith(`${what} `) ? [Number(line.split(' ').at(-1))] : []));

const countRunning = async (pids: readonly number[]) => (await Promise.all(pids.map(isRunning))).filter(Boolean).length;

/** Cancels a task, and waits for what its outcome says of the work. */
async function cancel(site: GatewaySite, client: RawClient, taskId: string): Promise<string> {
  await client.request('tasks/cancel', { taskId });
  const stopped = async () => {
    const { outcome } = await site.tasks.get(taskId);
    return outcome?.kind === 'cancelled' ? outcome.stopped : undefined;
  };
  return (await until(stopped, { what: 'how it was stopped', ...PATIENCE })) ?? '';
}

const begun = (site: GatewaySite, what: string) =>
  until(() => site.runs().some((line) => line.startsWith(`${what} in `)), { what, ...PATIENCE });

describe('a gateway before a server that does not heed a cancel', () => {
  it('[GATE-240] ends its process and what that started, and says so in the outcome', async () => {
    const site = await openGateway(deaf, { inlineMs: 0 });
    const client = await openRawStdio(site, 'modern');
    const taskId = await begin(client, 'work', { gate: 'a' });
    await begun(site, 'work a');
    expect(await cancel(site, client, taskId)).toBe(
      'upstream deaf-server was told and did not answer; its process served no other call, and was ended',
    );
    expect(site.runs()).toContain('told of a cancel');
    const pids = [...pidsOf(site, 'runs'), ...pidsOf(site, 'child')];
    expect(pids).toHaveLength(2);
    expect(await countRunning(pids)).toBe(0);
    const { statusMessage } = (await client.request('tasks/get', { taskId })).result ?? {};
    expect(statusMessage).toContain('its process served no other call, and was ended');
    // The next call starts another.
    await site.open('b');
    expect(await finish(client, await begin(client, 'heed', { gate: 'b' }))).toEqual({ text: 'b is open' });
    expect(pidsOf(site, 'runs')).toHaveLength(2);
  });

  it('[GATE-241] leaves its process alone while that serves another call', async () => {
    const site = await openGateway(deaf, { inlineMs: 0 });
    const client = await openRawStdio(site, 'modern');
    const [given, other] = [
      await begin(client, 'work', { gate: 'a' }),
      await begin(client, 'heed', { gate: 'b' }),
    ] as const;
    await begun(site, 'work a');
    await begun(site, 'heed b');
    expect(await cancel(site, client, given)).toBe(
      'upstream deaf-server was told and did not answer; its process serves other calls and was left alone, so the work may go on there',
    );
    await site.open('b');
    expect(await finish(client, other)).toEqual({ text: 'b is open' });
    expect(await countRunning(pidsOf(site, 'runs'))).toBe(1);
  });

  it('[GATE-242] ends no process that has stopped the work, nor one whose owner does not want it', async () => {
    const site = await openGateway(
      { heeding: deaf, kept: (dir) => ({ ...deaf(dir), policy: { cancel: 'tell' } }) },
      { inlineMs: 0, idleMs: 60_000 },
    );
    const client = await openRawStdio(site, 'modern');
    const heeded = await begin(client, 'heeding_heed', { gate: 'a' });
    const kept = await begin(client, 'kept_work', { gate: 'b' });
    await begun(site, 'heed a');
    await begun(site, 'work b');
    expect(await cancel(site, client, heeded)).toBe('upstream heeding has stopped it');
    expect(await cancel(site, client, kept)).toBe(
      'upstream kept was told and did not answer; the work may go on there',
    );
    expect(await countRunning(pidsOf(site, 'runs'))).toBe(2);
    process.kill(await site.workerPid());
  });
});

describe('a call whose worker is dead', () => {
  it('[GATE-243] is stopped upstream when its task is cancelled before another worker has come', async () => {
    const site = await openGateway(deaf, { inlineMs: 0 });
    const client = await openRawStdio(site, 'modern');
    const taskId = await begin(client, 'work', { gate: 'a' });
    await begun(site, 'work a');
    process.kill(await site.workerPid(), 'SIGKILL');
    await site.tasks.cancel(taskId);
    const pids = [...pidsOf(site, 'runs'), ...pidsOf(site, 'child')];
    const isOver = async () => (await countRunning(pids)) === 0;
    await until(isOver, { what: 'the end of its work', ...PATIENCE });
    expect(site.runs()).toContain('told of a cancel');
  });
});

describe('what is said of a call that was stopped', () => {
  const stop = (stopped: 'none' | 'confirmed' | 'told' | 'refused', ended: 'ended' | 'busy' | 'none' = 'none') =>
    stopCall(
      { callId: 'c', server: 'a', cancel: async () => stopped },
      { host: { endServer: async () => ended }, upstream: 'a', mayEnd: true, reason: 'enough' },
    );

  it('[GATE-240] names the upstream and what it was brought to', async () => {
    expect(await stop('none')).toBe('upstream a had nothing to stop');
    expect(await stop('confirmed')).toBe('upstream a has stopped it');
    expect(await stop('told')).toBe('upstream a was told and did not answer; the work may go on there');
    expect(await stop('refused', 'ended')).toBe(
      'upstream a did not take the cancel; its process served no other call, and was ended',
    );
  });
});
