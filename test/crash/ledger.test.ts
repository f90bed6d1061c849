import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOutcome } from 'holdfast/host';
import { describe, expect, it } from 'vitest';
import { pick, readLines, runProgram, runUntilKilled, withDirectory } from './judge.ts';

/** Every durable write of a host. */
const WRITES = ['call-create', 'call-handle', 'call-settle', 'call-ack', 'call-answer', 'call-sweep'] as const;
const CASES = [...WRITES, 'call-adopt'].flatMap((write) => [`${write}:before`, `${write}:after`]);

interface Kept {
  readonly callId: string;
  readonly tool: string;
  readonly label?: string;
  readonly outcome?: CallOutcome;
  readonly isAcked: boolean;
}

describe.concurrent('kill -9 of a host', () => {
  it.each(CASES)('[HOST-13] at %s: every outcome is taken once, and no tool runs twice', async (point) => {
    await withDirectory(async (dir) => {
      // These are written by a host that comes after another one.
      const isLater = /adopt|sweep/.test(point);
      if (isLater) await runUntilKilled('host-crash', dir, 'call-handle:after', '2');
      await runUntilKilled('host-crash', dir, point, isLater ? '0' : '2');
      await judge(dir, { mayAskAgain: point === 'call-answer:before' });
    });
  });

  it('[HOST-13] in the middle of a hundred calls: every outcome is taken once, and no tool runs twice', async () => {
    await withDirectory(async (dir) => {
      await runUntilKilled('host-crash', dir, 'call-settle:after', '20');
      await judge(dir, { mayAskAgain: false });
    });
  });

  it('[HOST-14] is tried at every crash point that a host passes', async () => {
    await withDirectory(async (dir) => {
      await runUntilKilled('host-crash', dir, 'call-handle:after', '1');
      const { code, stderr } = await runProgram('host-crash', dir, 'none', '1');
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(
        pick(readLines(join(dir, 'journal.txt')), 'point')
          .flat()
          .sort(),
      ).toEqual([...CASES].sort());
    });
  });
});

/** Lets a fresh host take what is left, and looks at what all of them did. */
async function judge(dir: string, { mayAskAgain }: { mayAskAgain: boolean }): Promise<void> {
  const ran = await runProgram('host-crash', dir, 'none', '0');
  expect(ran.code, ran.stderr).toBe(0);
  const calls = ran.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Kept);
  const journal = readLines(join(dir, 'journal.txt'));
  const ids = calls.map(({ callId }) => callId);
  for (const [callId = ''] of pick(journal, 'called'))
    expect(ids, 'a call that was made is in the ledger').toContain(callId);

  const acked = pick(journal, 'acked').flat();
  expect(new Set(acked).size, 'no outcome was acknowledged twice').toBe(acked.length);
  const asked = pick(journal, 'asked').flat();
  if (!mayAskAgain) expect(new Set(asked).size, 'nobody was asked twice').toBe(asked.length);
  for (const call of calls) judgeCall(call, journal);

  const runs = readNotes(join(dir, 'runs.txt'));
  expect(new Set(runs.filter((run) => !run.startsWith('publish'))).size).toBe(
    runs.filter((run) => !run.startsWith('publish')).length,
  );
  expect(runs.filter((run) => run.startsWith('publish')).length).toBe(
    calls.filter(({ tool }) => tool === 'publish').length,
  );
}

function judgeCall({ callId, tool, label, outcome, isAcked }: Kept, journal: readonly string[][]): void {
  expect(isAcked, `the outcome of ${tool} was taken`).toBe(true);
  const kinds = new Set(pick(journal, 'outcome').flatMap(([id, kind]) => (id === callId ? [kind] : [])));
  expect(kinds.size, 'everybody saw the same outcome').toBe(1);
  // A job ends with its server, which ends with its host; nothing else may be lost.
  if (tool === 'sync' && outcome?.kind === 'interrupted') return;
  const text = tool === 'render' ? `${label} rendered` : tool === 'publish' ? 'published' : 'Sync completed';
  expect(JSON.stringify(outcome)).toContain(text);
}

function readNotes(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}
