import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inRoot } from '../../../scripts/root.mjs';
import { type CodexSite, openCodex } from '../agents/open-codex.ts';

const MAIN = inRoot('dist', 'cli', 'main.js');
const SLEEP = 'sleep 1003';

let site: CodexSite;

beforeAll(async () => {
  site = await openCodex({ 'sleep long': [{ shell: SLEEP }] });
});

afterAll(() => site.close());

it('[CREAL-05] an abort reaches a run of Codex that is streamed behind a gateway, whose server a keeper holds', async () => {
  const { command, args, env, cwd } = site.command('--sandbox', 'danger-full-access');
  const host = await createHost({ ledger: join(site.stateDir, 'ledger', 'host.db') });
  try {
    await host.connect('gateway', {
      command,
      args: [MAIN, 'gateway', '--name', 'g', '--', command, ...args],
      env,
      cwd,
    });
    const stop = new AbortController();
    const meta = { workdir: await site.folder('behind'), stream: true };
    const call = await host.call(
      'gateway',
      'codex_app_window_run',
      { prompt: 'sleep long' },
      { meta, signal: stop.signal },
    );
    await until(() => site.programs().includes(SLEEP), { what: 'the command', timeoutMs: 60_000 });
    stop.abort(new Error('no longer wanted'));
    expect(await call.outcome()).toMatchObject({ kind: 'cancelled' });
    await until(() => !site.programs().includes(SLEEP), { what: 'the end of the command', timeoutMs: 60_000 });
  } finally {
    await host.close();
  }
});
