/** What can be broken besides the worker and the connection, and that everything comes back. */
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallView } from '../../../src/sandbox/calls/call-view.ts';
import type { CallWire } from '../../../src/sandbox/wire/wire-recorder.ts';
import { browserPath, goTo, startBrowser } from '../../sandbox/open-page.ts';
import { clearSandbox, type RunningSandbox, startSandbox } from '../../sandbox/open-sandbox.ts';

const LONG_MS = 120_000;

describe('more to break', { timeout: 300_000 }, () => {
  let sandbox: RunningSandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  }, LONG_MS);
  afterAll(() => clearSandbox(sandbox));

  const breakIt = (kind: string) => sandbox.post<Record<string, unknown>>('faults', { kind });
  const call = async (args: object) =>
    (await sandbox.post<{ call: CallView }>('calls', { server: 'demo', tool: 'sleep', args })).call;
  const whenEnded = ({ callId }: CallView) =>
    until(
      async () => {
        const { call: now } = await sandbox.get<{ call: CallView }>(`calls/${callId}`);
        return now.state === 'ended' && now;
      },
      { what: 'the outcome', timeoutMs: LONG_MS },
    );

  it('[SAND-231] a call gets over notifications that come late and twice', async () => {
    expect(await breakIt('duplicate-notifications')).toMatchObject({ forMs: 30_000 });
    const doubled = await whenEnded(await call({ ms: 1500, note: 'once only' }));
    expect(doubled.outcome).toMatchObject({ kind: 'result', isError: false });
    const { messages } = await sandbox.get<CallWire>(`calls/${doubled.callId}/wire`);
    const told = messages.filter(({ direction, label }) => direction === 'in' && label.startsWith('notifications/'));
    expect(told.length).toBeGreaterThan(new Set(told.map(({ text }) => text)).size);
    await breakIt('delay-notifications');
    const delayed = await whenEnded(await call({ ms: 1500, note: 'late' }));
    expect(delayed.outcome).toMatchObject({ kind: 'result', isError: false });
    const { tasks } = await sandbox.get<{ tasks: { attempt: number }[] }>('tasks');
    expect(tasks.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  it('[SAND-232] a result is found although the log was moved away while it was waited for', async () => {
    expect(await breakIt('rotate-log')).toMatchObject({ error: { message: expect.stringContaining('no log yet') } });
    const begin = (message: string) => sandbox.post<CallView>('async-test', { args: { message } });
    await whenEnded(await begin('before'));
    const waiting = await begin('meanwhile');
    expect(await breakIt('rotate-log')).toMatchObject({ path: expect.stringMatching(/ui-prompts\.jsonl\.1$/) });
    expect(JSON.stringify((await whenEnded(waiting)).outcome)).toContain('meanwhile');
    const { prompts } = await sandbox.get<{ prompts: unknown[] }>('prompts');
    expect(prompts).toHaveLength(2);
  });

  it('[SAND-233] a full store refuses a call with the reason, and takes it when there is room again', async () => {
    const args = { ms: 10, note: 'x'.repeat(200_000) };
    expect(await breakIt('fill-disk')).toMatchObject({ forMs: 8000 });
    const refused = await whenEnded(await call(args));
    expect(JSON.stringify(refused.outcome)).toMatch(/full|free space/i);
    await until(
      async () => {
        const { outcome } = await whenEnded(await call(args));
        return outcome?.kind === 'result' && !outcome.isError;
      },
      { what: 'room again', timeoutMs: LONG_MS },
    );
  });

  it('[SAND-234] what has ended is forgotten when its TTL is ended; the call keeps its result', async () => {
    const done = await whenEnded(await call({ ms: 10, note: 'remembered' }));
    const ended = await breakIt('end-ttl');
    expect(ended.count).toBeGreaterThan(0);
    const { task } = await sandbox.get<{ task?: { outcome?: { kind: string } } }>(`tasks/${done.taskId}`);
    expect(task?.outcome?.kind).not.toBe('result');
    expect(JSON.stringify((await whenEnded(done)).outcome)).toContain('remembered');
  });

  it.skipIf(browserPath === undefined)('[SAND-235] every fault has its button, which says what it did', async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.open(sandbox.url);
      await goTo(page, 'Break it');
      const said: readonly [string, string][] = [
        ['Delay notifications', 'It lasts for 30 s.'],
        ['Duplicate notifications', 'It lasts for 30 s.'],
        ['Rotate the log', 'ui-prompts.jsonl.'],
        ['Fill the disk', 'It lasts for 8.0 s.'],
        ['End the TTL', 'tasks were forgotten.'],
      ];
      for (const [title, text] of said) {
        const card = page.locator('.fault-card').filter({ has: page.getByRole('heading', { name: title }) });
        await card.getByRole('button', { name: title }).click();
        await card.getByText(text).waitFor();
      }
      expect(browser.complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
