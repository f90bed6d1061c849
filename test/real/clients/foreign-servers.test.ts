import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { HostQuestion } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { collect, type Desk, openDesk, textOf } from '../../host/open-host.ts';
import { killServers } from '../../host/servers/kill-servers.ts';

const NAMED = { onQuestion: () => ({ action: 'accept', content: { name: 'Ada' } }) };

/** What was run, without the sessions that were opened. */
const runsOf = (desk: Desk) => desk.notes().filter((note) => note !== 'session');

describe('two-stage jobs of a server that is not ours', () => {
  it.each(['bare', 'text', 'structured'])(
    '[HOST-05] are known by their first answer (%s), and end with the second',
    async (form) => {
      const desk = await openDesk();
      const host = await desk.host();
      await host.connect('jobs', desk.command('host-job-server', desk.dir));
      const call = await host.call('jobs', 'sync', { form });
      const outcome = await call.outcome();
      expect(outcome).toMatchObject({ kind: 'result', isError: false });
      expect(textOf(outcome)).toContain('Sync completed successfully');
      const updates = await collect(call.updates());
      expect(updates).toContainEqual({ type: 'estimate', estimateMs: 45_000 });
      expect(updates).toContainEqual({
        type: 'progress',
        value: 0.3,
        total: 1,
        message: 'Processing 150 of 500 files...',
      });
    },
  );

  it('[HOST-05] are followed even when everything is told before the first answer', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    const calls = await Promise.all([1, 2, 3].map((label) => host.call('jobs', 'sync', { early: true, label })));
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['result', 'result', 'result']);
  });

  it('[HOST-06] that fail end the call with their text and details', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    const call = await host.call('jobs', 'sync', { fail: true });
    const error = {
      code: 'JOB_FAILED',
      message: 'Failed to sync: Permission denied',
      data: { details: 'Full error traceback...' },
    };
    expect(await call.outcome()).toEqual({ kind: 'error', error });
  });

  it('[HOST-05] are told from tools that only answer with the id of something', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    expect(await (await host.call('jobs', 'lookup')).outcome()).toMatchObject({ kind: 'result' });
  });

  it('[HOST-07] end as interrupted when their server dies, and are not repeated', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    const call = await host.call('jobs', 'sync', { gate: 'never' });
    await until(async () => (await host.calls())[0]?.handle, { what: 'the handle' });
    killServers('host-job-server', desk.dir);
    expect(await call.outcome()).toMatchObject({
      kind: 'interrupted',
      reason: expect.stringContaining('outcome unknown'),
    });
    expect(desk.notes().filter((line) => line.startsWith('sync'))).toHaveLength(1);
  });

  it('[HOST-08] that cannot be cancelled say so in their outcome', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('jobs', desk.command('host-job-server', desk.dir));
    const call = await host.call('jobs', 'sync', { gate: 'never' });
    await until(async () => (await host.calls())[0]?.handle, { what: 'the handle' });
    await call.cancel('enough');
    expect(await call.outcome()).toEqual({
      kind: 'cancelled',
      reason: 'enough; the server did not confirm it, and the work may go on',
    });
  });
});

describe.each(['stdio', 'http'])('a server on version 1 of the SDK over %s', (medium) => {
  async function connect(options = {}) {
    const desk = await openDesk();
    const host = await desk.host(options);
    const command = desk.command('host-sdk1-server', desk.dir);
    const url = medium === 'http' ? await serve(desk.command('host-sdk1-server', desk.dir, 'http')) : '';
    await host.connect('sdk1', medium === 'http' ? { url } : command);
    return { desk, host, url };
  }

  it('[HOST-09] asks in the middle of a task, and gets its answer', async () => {
    const { host, desk } = await connect(NAMED);
    const calls = await Promise.all(['x', 'y'].map((label) => host.call('sdk1', 'ask', { label })));
    for (const call of calls) expect(textOf(await call.outcome())).toBe('Hello, Ada!');
    expect(runsOf(desk).sort()).toEqual(['ask x 1', 'ask y 1']);
  });

  it('[HOST-50] asks for several held calls at once: on HTTP each is known by its stream, on stdio none is', async () => {
    const asked: (string | undefined)[] = [];
    const signals: AbortSignal[] = [];
    const { host, desk } = await connect({
      onQuestion({ callId, signal }: HostQuestion) {
        asked.push(callId);
        signals.push(signal);
        return { action: 'accept', content: { name: `Ada ${asked.length}` } };
      },
    });
    const calls = await Promise.all(['x', 'y'].map((label) => host.call('sdk1', 'query', { label })));
    for (const label of ['x', 'y']) await desk.untilNoted(`query ${label} 1`);
    await desk.open('query');
    const texts = await Promise.all(calls.map(async (call) => textOf(await call.outcome())));
    // The same words, and yet nobody's answer is taken for the other's.
    expect(texts.map((text) => text.slice(0, 8)).sort()).toEqual(['x is Ada', 'y is Ada']);
    expect(new Set(texts.map((text) => text.slice(-1))).size).toBe(2);
    const ids = medium === 'http' ? calls.map(({ callId }) => callId).sort() : [undefined, undefined];
    expect(asked.sort()).toEqual(ids);
    await until(() => signals.every(({ aborted }) => aborted), { what: 'the signals of what nobody needs any more' });
    expect(runsOf(desk).sort()).toEqual(['query x 1', 'query y 1']);
  });

  it('[HOST-01] holds a plain call, with progress, for as long as it takes', async () => {
    const { host, desk } = await connect();
    const call = await host.call('sdk1', 'hold', { gate: 'a' });
    await desk.untilNoted('hold a 1');
    await desk.open('a');
    expect(textOf(await call.outcome())).toBe('a is open');
    expect(await collect(call.updates())).toEqual([{ type: 'progress', value: 1, total: 4, message: 'holding' }]);
  });

  it('[HOST-04] hears of an abort of a held call', async () => {
    const { host, desk } = await connect();
    const stop = new AbortController();
    const call = await host.call('sdk1', 'hold', { gate: 'b' }, { signal: stop.signal });
    await desk.untilNoted('hold b 1');
    stop.abort();
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
    await desk.untilNoted('cancelled b');
  });

  it('[HOST-10] does not hear of a call that is only left, and its answer is kept', async () => {
    const { host, desk } = await connect();
    const call = await host.call('sdk1', 'hold', { gate: 'c' });
    await desk.untilNoted('hold c 1');
    call.detach();
    await expect(call.outcome()).rejects.toMatchObject({ code: 'DETACHED' });
    const [again] = await host.resume();
    await desk.open('c');
    expect(textOf(await (again as NonNullable<typeof again>).outcome())).toBe('c is open');
    expect(runsOf(desk)).toEqual(['hold c 1']);
  });

  it('[HOST-11] that dies while it holds a call leaves an outcome that is unknown, and no second run', async () => {
    const { host, desk, url } = await connect();
    const call = await host.call('sdk1', 'hold', { gate: 'd' });
    await desk.untilNoted('hold d 1');
    killServers('host-sdk1-server', desk.dir);
    // Over HTTP somebody else starts the server again; until then nobody can tell.
    if (medium === 'http') await serve(desk.command('host-sdk1-server', desk.dir, 'http'), new URL(url).port);
    expect(await call.outcome()).toMatchObject({
      kind: 'interrupted',
      reason: expect.stringContaining('outcome unknown'),
    });
    expect(runsOf(desk)).toEqual(['hold d 1']);
  });
});

describe('a server of the tasks extension on version 2 of the SDK', () => {
  it('[HOST-12] that tells nobody is asked, and asks', async () => {
    const desk = await openDesk();
    const host = await desk.host(NAMED);
    await host.connect('sdk2', desk.command('host-sdk2-server', desk.dir));
    const [wait, ask] = await Promise.all([host.call('sdk2', 'wait', { gate: 'a' }), host.call('sdk2', 'ask')]);
    expect(textOf(await ask.outcome())).toBe('Hello, Ada!');
    await desk.open('a');
    expect(await wait.outcome()).toEqual({
      kind: 'result',
      result: { content: [{ type: 'text', text: 'a is open' }] },
      isError: false,
    });
  });

  it('[HOST-04] has its task cancelled by an abort', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('sdk2', desk.command('host-sdk2-server', desk.dir));
    const stop = new AbortController();
    const call = await host.call('sdk2', 'wait', { gate: 'never' }, { signal: stop.signal });
    await until(async () => (await host.calls())[0]?.handle);
    stop.abort();
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
    expect(desk.notes()).toEqual(['wait never 1', 'cancelled']);
  });

  it('[HOST-11] that has forgotten the task ends the call as interrupted', async () => {
    const desk = await openDesk();
    const host = await desk.host();
    await host.connect('sdk2', desk.command('host-sdk2-server', desk.dir));
    const call = await host.call('sdk2', 'wait', { gate: 'never' });
    await until(async () => (await host.calls())[0]?.handle);
    killServers('host-sdk2-server', desk.dir);
    expect(await call.outcome()).toMatchObject({
      kind: 'interrupted',
      reason: expect.stringContaining('Task not found'),
    });
  });
});

async function serve({ command, args }: { command: string; args: string[] }, port = '0'): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PORT: port } });
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return url;
}
