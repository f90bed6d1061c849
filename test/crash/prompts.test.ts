/** Deaths of an app that answers through the log of prompts: each outcome is told once, and it is the right one. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../src/dialects/ui-prompts/log/log-entries.ts';
import { readTaskStore } from '../../src/dialects/ui-prompts/task-store/task-store.ts';
import { isResult } from '../../src/dialects/ui-prompts/wire.ts';
import { share } from '../share.ts';
import { onBothSides } from './crash-site.ts';
import { readRecords, runProgram, runUntilKilled, withDirectory } from './judge.ts';

/** Every durable write of an app for the contract, with the size of the log before it. */
const WRITES = { prompt: 'empty', 'prompt-task': 'empty', 'prompt-rotate': 'full' } as const;
const POINTS = onBothSides(Object.entries(WRITES).map(([write, log]) => ({ write, log }))).map(
  ({ write, log, side }) => ({ point: `${write}:${side}`, log }),
);

const HOLD_MS = '300';
const FULL_BYTES = 5 * 1024 * 1024;
const HOUR_MS = 3_600_000;

describe.concurrent('kill -9 of an app', () => {
  it.each(share(POINTS, { every: 2 }))(
    '[UIP-41] at $point, with the log $log: its restart tells the outcome, once',
    async ({ point, log }) => {
      await withDirectory(async (dir) => {
        if (log === 'full') await fill(dir);
        await runUntilKilled('prompt-crash', dir, point, HOLD_MS, 't-1');
        await restart(dir);
        await judge(dir, ['t-1']);
      });
    },
  );

  it('[UIP-41] is tried at every crash point that it passes', async () => {
    await withDirectory(async (dir) => {
      await fill(dir);
      const { code, stdout, stderr } = await runProgram('prompt-crash', dir, 'none', HOLD_MS, 't-1');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trim().split('\n').sort()).toEqual(POINTS.map(({ point }) => point).sort());
    });
  });

  it('[UIP-42] leaves its messages to several processes that deliver them at the same time, and each is told once', async () => {
    await withDirectory(async (dir) => {
      const ids = Array.from({ length: 8 }, (_, index) => `t-${index}`);
      await runUntilKilled('prompt-crash', dir, 'prompt:before', '1', 't-0');
      // Held for nobody: whoever looks takes all of them, again and again.
      const all = [1, 2, 3].map(() => runProgram('prompt-crash', dir, 'none', '1', ...ids));
      for (const { code, stderr } of await Promise.all(all)) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      await judge(dir, ids);
    });
  });
});

/** A log that has no room for another entry, of prompts that nobody has answered. */
async function fill(dir: string): Promise<void> {
  const ts = new Date(Date.now() - HOUR_MS).toISOString();
  const prompt = { kind: 'result', markdown: 'x'.repeat(100_000) };
  let text = '';
  while (text.length < FULL_BYTES) {
    const requestId = `old-${text.length}`;
    text += `${JSON.stringify({ ts, type: 'ui_prompt', action: 'request', requestId, prompt })}\n`;
  }
  await writeFile(join(dir, 'ui-prompts.jsonl'), text);
}

async function restart(dir: string): Promise<void> {
  const { code, stderr } = await runProgram('prompt-crash', dir, 'none', HOLD_MS);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

async function judge(dir: string, ids: readonly string[]): Promise<void> {
  const entries = await readEntries(join(dir, 'ui-prompts.jsonl'));
  const told = entries.filter(({ requestId }) => ids.includes(requestId)).filter(isResult);
  const texts = told.map(({ requestId, prompt }) => [requestId, prompt.markdown, prompt.resultStatus]);
  expect(texts.sort(), 'one prompt per id, with its own content').toEqual(
    ids.map((id) => [id, `paid ${id}`, 'completed']),
  );
  const paid = readRecords(join(dir, 'runs.txt')).map(([, id]) => id);
  expect(new Set(paid).size, 'no work was done twice').toBe(paid.length);
  const stored = await readTaskStore(join(dir, 'state.json'));
  for (const id of ids) expect(stored.find((task) => task.id === id)).toMatchObject({ status: 'completed' });
  expect(await readFile(join(dir, 'ui-prompts.jsonl'), 'utf8')).toMatch(/\n$/);
}
