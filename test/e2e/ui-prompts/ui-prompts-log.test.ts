/** What others do to a log while a host waits on it: every call ends with its own result. */
import { appendFile, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createFakeClock, until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { listSiblings } from '../../../src/dialects/ui-prompts/log/log-history.ts';
import { createPromptLog } from '../../../src/dialects/ui-prompts/log/log-writer.ts';
import { toOtherLine } from '../../dialects/ui-prompts/open-log.ts';
import { textOf } from '../../host/open-host.ts';
import { openPromptApp, type PromptApp } from './open-prompt-app.ts';

const DAY_MS = 86_400_000;

let app: PromptApp;

beforeAll(async () => {
  app = await openPromptApp('seed-app');
  await appendFile(app.log, Array.from({ length: 50 }, (_, index) => toOtherLine(index, 100)).join(''));
});

afterAll(() => app.close());

const toText = (gate: string) => `# ${gate}\n\n完成 😊`;

/** Lets something happen to the log while a call waits, and then the app finish. */
async function waitThrough(gate: string, change: () => Promise<void>): Promise<void> {
  const call = await app.call(gate);
  await change();
  await app.open(gate);
  expect(textOf(await call.outcome())).toBe(toText(gate));
  // Whoever comes later finds it too.
  const late = await app.call(`${gate}-late`);
  await app.open(`${gate}-late`);
  expect(textOf(await late.outcome())).toBe(toText(`${gate}-late`));
}

async function keepNewest(): Promise<string> {
  const lines = (await readFile(app.log, 'utf8')).split('\n');
  return lines.slice(-6).join('\n');
}

describe('a host that waits for a result survives that its log is', () => {
  it('[UIP-44] rotated by a writer of ours, again and again, while the app appends', async () => {
    const gates = Array.from({ length: 5 }, (_, index) => `rotated-${index}`);
    const calls = await Promise.all(gates.map((gate) => app.call(gate)));
    // Its clock is fast: what is new to it stays in the log, and nothing would ever rotate.
    const clock = createFakeClock(Date.now());
    const writer = createPromptLog({ path: app.log, maxBytes: 3000, clock });
    for (const [index, gate] of gates.entries()) {
      await app.open(gate);
      for (let entry = 0; entry < 3; entry++) {
        await writer.publishResult({ requestId: `filler-${index}-${entry}`, text: 'x'.repeat(900) });
        await clock.advance(61_000);
      }
    }
    const outcomes = await Promise.all(calls.map((call) => call.outcome()));
    expect(outcomes.map(textOf)).toEqual(gates.map(toText));
    expect((await listSiblings(app.log)).length).toBeGreaterThan(3);
  });

  it('[UIP-44] rewritten shorter in place, and longer than before at once', async () => {
    await waitThrough('rewritten', async () => {
      const { size } = await stat(app.log);
      await writeFile(app.log, `${await keepNewest()}${toOtherLine(1, size)}`);
    });
  });

  it('[UIP-44] rewritten shorter in place', async () => {
    await waitThrough('shortened', async () => writeFile(app.log, await keepNewest()));
  });

  it('[UIP-44] cut in the middle of a line, and cut to nothing', async () => {
    await waitThrough('halved', async () => {
      const { size } = await stat(app.log);
      await truncate(app.log, Math.floor(size / 2));
      await appendFile(app.log, '\n');
    });
    await waitThrough('emptied', () => truncate(app.log, 0));
  });

  it('[UIP-44] deleted, and made anew by the app', async () => {
    await waitThrough('deleted', () => rm(app.log));
  });

  it('[UIP-44] replaced by another file of the same name', async () => {
    await waitThrough('replaced', async () => {
      await writeFile(`${app.log}.tmp`, await keepNewest());
      await rename(`${app.log}.tmp`, app.log);
    });
  });

  it('[UIP-45] that of an app that was killed, and finishes when it is started again', async () => {
    const call = await app.call('killed');
    app.kill();
    await app.open('killed');
    // Whatever needs the app next starts it again.
    const greet = async () => textOf(await (await app.host.call('app', 'greet')).outcome());
    await until(async () => (await greet()) === 'Hello!', { what: 'the app to be back', timeoutMs: 60_000 });
    expect(textOf(await call.outcome())).toBe(toText('killed'));
    expect(await app.entries(call.callId)).toHaveLength(1);
    expect((await app.notes()).filter((line) => line === 'ran killed')).toHaveLength(1);
  });
});

describe('a host whose clock jumps while it waits', () => {
  it.each([
    ['two days ahead', 2 * DAY_MS],
    ['two days back', -2 * DAY_MS],
  ])('[UIP-46] %s finds the result, and ends no wait early', async (title, jumpMs) => {
    const { now } = Date;
    let offset = 0;
    const shifted = vi.spyOn(Date, 'now').mockImplementation(() => now() + offset);
    const jumping = await openPromptApp('seed-app', { clock: { ...systemClock, now: () => now() + offset } });
    try {
      const patient = await jumping.call('patient', { maxWaitMs: DAY_MS });
      const endless = await jumping.call('endless');
      const other = await jumping.call('other');
      offset = jumpMs;
      const brief = await jumping.host.call('app', 'app_run', { gate: 'brief' }, { maxWaitMs: 100 });
      await jumping.open('other');
      expect(textOf(await other.outcome()), title).toBe(toText('other'));
      expect(await brief.outcome()).toMatchObject({ kind: 'timed-out' });
      const pending = (await jumping.host.calls()).filter(({ outcome }) => outcome === undefined);
      expect(pending.map(({ callId }) => callId).sort()).toEqual([patient.callId, endless.callId].sort());
      offset = 0;
      await Promise.all([jumping.open('patient'), jumping.open('endless')]);
      expect(textOf(await patient.outcome())).toBe(toText('patient'));
      expect(textOf(await endless.outcome())).toBe(toText('endless'));
    } finally {
      shifted.mockRestore();
      await until(() => jumping.close().then(() => true));
    }
  });
});
