import { until } from 'holdfast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CodexSite, openCodex } from './open-codex.ts';

const RUN = 'codex_app_window_run';

/** A program that is alone in a session of its own and does not heed SIGTERM, beside one that does. */
const STUBBORN = `setsid sh -c 'trap "" TERM; exec sleep 1001' & sleep 1002`;

/** What is promised: from the cancel to the moment when nothing is left. A machine that is very busy may need another try. */
const LIMIT_MS = 2000;
const TRIES = { retry: 2 };

let site: CodexSite;

beforeAll(async () => {
  site = await openCodex({ 'sleep long': [{ shell: STUBBORN }] });
});

afterAll(() => site.close());

it.each([
  ['workspace-write', []],
  ['danger-full-access', ['--sandbox', 'danger-full-access']],
] as const)(
  '[CREAL-05] an abort in the middle of a command ends all that Codex started, in %s',
  TRIES,
  async (mode, args) => {
    const host = await site.host({ args });
    const stop = new AbortController();
    const meta = { workdir: await site.folder(mode), stream: true };
    const call = await host.call('codex', RUN, { prompt: 'sleep long' }, { meta, signal: stop.signal });
    await untilUnderWay();
    const began = performance.now();
    stop.abort(new Error('no longer wanted'));
    await until(() => site.programs().length === 0, { what: 'all programs to end', timeoutMs: 30_000 });
    expect(performance.now() - began).toBeLessThan(LIMIT_MS);
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
  },
);

it('[CREAL-05] the window and its run are shown as ended after that', async () => {
  await until(async () => (await site.state()).windows.every(({ status }) => status === 'idle'));
  const { runs, mcpTasks } = await site.state();
  expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['aborted']));
  expect(new Set(mcpTasks.map(({ status }) => status))).toEqual(new Set(['aborted']));
});

it('[CREAL-09] a run whose worker was killed ends as interrupted, and nothing that Codex started is left', async () => {
  const host = await site.host({ args: ['--sandbox', 'danger-full-access'] });
  const meta = { workdir: await site.folder('killed'), stream: true };
  const call = await host.call('codex', RUN, { prompt: 'sleep long' }, { meta });
  await untilUnderWay();
  site.killApp();
  expect(JSON.stringify(await call.outcome())).toMatch(/interrupted/i);
  await until(() => site.programs().length === 0, { what: 'all programs to end', timeoutMs: 30_000 });
  await until(async () => (await site.state()).runs.at(-1)?.status === 'failed');
});

async function untilUnderWay(): Promise<void> {
  const isUnderWay = () => ['sleep 1001', 'sleep 1002'].every((name) => site.programs().includes(name));
  await until(isUnderWay, { what: 'the command', timeoutMs: 60_000 });
}
