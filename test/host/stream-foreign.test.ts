import type { ServerSpec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { collect, openDesk, textOf } from './open-host.ts';
import { killServers } from './servers/kill-servers.ts';

type ConnectOptions = Pick<ServerSpec, 'stream' | 'callMeta'> & { readonly keeper?: boolean };

const RUN = 'codex_app_window_run';

async function connect({ keeper = true, ...more }: ConnectOptions = {}) {
  const desk = await openDesk();
  const host = await desk.host({ keeper });
  await host.connect('app', { ...desk.command('foreign-stream-server', desk.dir), ...more });
  const untilPending = () => until(async () => (await host.calls())[0]?.handle?.windowId, { what: 'the run' });
  return { desk, host, untilPending };
}

describe('a foreign server that streams', () => {
  it('[SHOST-01] [SHOST-07] is called, streams while it runs, and ends with completed: the four steps of its plan', async () => {
    const { desk, host } = await connect();
    const call = await host.call('app', RUN, { prompt: 'tests', gate: 'a' });
    const updates = call.updates();
    const first = await updates.next();
    expect(first.value).toEqual({ type: 'status', status: 'running' });
    expect((await updates.next()).value).toMatchObject({ text: expect.stringContaining('thread.started threadId=t1') });
    expect((await updates.next()).value).toEqual({ type: 'text', text: 'Working on tests' });
    expect((await host.calls())[0]?.outcome).toBeUndefined();
    await desk.open('a');
    expect(textOf(await call.outcome())).toBe('Did tests');
    expect(await collect(updates)).toEqual([]);
    expect(desk.notes()).toContain(`${RUN} stream=true`);
  });

  it('[SHOST-02] [SHOST-03] is known by what it tells before its answer, and answers at once elsewhere', async () => {
    const { host } = await connect();
    const told = await host.call('app', 'long_work', { prompt: 'early', early: true, textId: true });
    expect(textOf(await told.outcome())).toBe('Did early');
    const plain = await host.call('app', 'look_up');
    expect(textOf(await plain.outcome())).toBe('looked up');
    const off = await host.call('app', RUN, { prompt: 'off', gate: 'never', early: true }, { meta: { stream: false } });
    expect(textOf(await off.outcome())).toBe('调用成功');
    const wrong = { command: 'node', stream: { tools: 'all' } } as unknown as ServerSpec;
    await expect(host.connect('wrong', wrong)).rejects.toThrow(
      "stream is { tools: 'all' }; expected true, false or { tools: […] }",
    );
  });

  it.each([
    ['stream of its spec', { stream: { tools: ['long_work'] } }],
    ['its callMeta', { callMeta: { stream: true } }],
  ])('[SHOST-02] is known by %s', async (_, spec) => {
    const { host, desk } = await connect(spec);
    const call = await host.call('app', 'long_work', { prompt: 'x', gate: 'a' });
    await desk.untilNoted('long_work stream=true');
    await desk.open('a');
    expect(textOf(await call.outcome())).toBe('Did x');
  });

  it('[SHOST-04] [SHOST-08] has long texts, failures, aborts and ends without a text', async () => {
    const { host } = await connect();
    const final = '0123456789'.repeat(1200);
    const ask = async (args: { [key: string]: string | boolean }) =>
      (await host.call('app', RUN, { prompt: 'p', ...args })).outcome();
    const [long, failed, aborted, bare] = await Promise.all([
      ask({ final }),
      ask({ status: 'failed', final: 'no disk' }),
      ask({ status: 'aborted', final: 'stopped' }),
      ask({ noText: true }),
    ]);
    expect(textOf(long)).toBe(final);
    expect(failed).toMatchObject({ kind: 'error', error: { code: 'RUN_FAILED', message: 'no disk' } });
    expect(aborted).toEqual({ kind: 'cancelled', reason: 'stopped' });
    expect(textOf(bare)).toBe('Working on p');
  });

  it('[SHOST-11] has its run stopped by the tool it lists for that, by the ids it told', async () => {
    const { host, desk, untilPending } = await connect();
    const stop = new AbortController();
    const call = await host.call('app', RUN, { prompt: 'x', gate: 'never' }, { signal: stop.signal });
    await untilPending();
    stop.abort();
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled', reason: expect.not.stringContaining('confirm') });
    const note = desk.notes().find((line) => line.startsWith('window_stop')) ?? '';
    expect(JSON.parse(note.replace('window_stop ', ''))).toMatchObject({
      taskId: expect.stringMatching(/^req-/),
      windowId: 'win-1',
    });
  });

  it('[SHOST-10] that dies leaves an outcome that is unknown, and no second run', async () => {
    const { host, desk, untilPending } = await connect();
    const call = await host.call('app', RUN, { prompt: 'x', gate: 'never' });
    await untilPending();
    killServers('foreign-stream-server', desk.dir);
    expect(await call.outcome()).toMatchObject({
      kind: 'interrupted',
      reason: expect.stringContaining('outcome unknown'),
    });
    expect(desk.notes().filter((line) => line.startsWith(RUN))).toHaveLength(1);
  });

  it('[SHOST-12] is found in the ledger by the next host, which cannot ask for the run when nobody kept its server', async () => {
    const { host, desk, untilPending } = await connect({ keeper: false });
    const { callId } = await host.call('app', RUN, { prompt: 'x', gate: 'never' });
    await untilPending();
    await host.close();
    const next = await desk.host({ keeper: false });
    const [call] = await next.resume();
    expect(call?.callId).toBe(callId);
    await next.connect('app', desk.command('foreign-stream-server', desk.dir));
    expect(await call?.outcome()).toMatchObject({ kind: 'interrupted' });
  });

  it('[FIRST-136] is told to the next host as if nobody had been away, where its server was kept', async () => {
    const { host, desk, untilPending } = await connect();
    await host.call('app', RUN, { prompt: 'x', gate: 'a' });
    await untilPending();
    await host.close();
    await desk.open('a');
    const next = await desk.host();
    const [call] = await next.resume();
    await next.connect('app', desk.command('foreign-stream-server', desk.dir));
    expect(call && textOf(await call.outcome())).toBe('Did x');
  });

  it('[FIRST-136] is told to a host that was connected before it took up its calls, one after the other', async () => {
    const { host, desk, untilPending } = await connect();
    await host.call('app', RUN, { prompt: 'x', gate: 'a' });
    await host.call('app', RUN, { prompt: 'y', gate: 'a' });
    await untilPending();
    await until(async () => (await host.calls()).every(({ handle }) => handle?.windowId), { what: 'both runs' });
    await host.close();
    const next = await desk.host();
    let ended = 0;
    await next.connect('app', desk.command('foreign-stream-server', desk.dir));
    next.onNotification('app', ({ method }) => {
      if (method.endsWith('.completed')) ended += 1;
    });
    await desk.open('a');
    await until(() => ended === 2, { what: 'the end of both runs' });
    const calls = await next.resume();
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(textOf).sort()).toEqual(['Did x', 'Did y']);
    expect(ended).toBe(2);
  });
});

describe('holdfast call', () => {
  it('[SHOST-13] prints what a run says on stderr as it comes, and its result on stdout', async () => {
    const desk = await openDesk();
    const { command, args } = desk.command('foreign-stream-server', desk.dir);
    const run = (...options: string[]) =>
      runCli(
        ['call', RUN, '{"prompt":"tests"}', ...options, '--', command, ...args],
        { HOLDFAST_DIR: desk.dir },
        desk.dir,
      );
    const shown = await run();
    expect(shown).toMatchObject({ code: 0, stdout: 'Did tests\n' });
    expect(shown.stderr).toMatch(/thread\.started threadId=t1\n(.*\n)*Working on tests\n/);
    const bare = await run('--json');
    expect(bare.stderr).not.toContain('Working on tests');
    expect(JSON.parse(bare.stdout)).toMatchObject({ kind: 'result' });
  });
});
