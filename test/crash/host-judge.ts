/**
 * Runs a host that is killed on the way, lets a fresh one take what is left, and judges what all of them did.
 *
 * Outcomes are counted where they are taken, executions where they happen.
 */
import { join } from 'node:path';
import type { CallOutcome } from 'holdfast/host';
import { expect } from 'vitest';
import { openDriver } from '../../src/sqlite/driver.ts';
import { readLines } from '../read-lines.ts';
import { pick, readRecords, runProgram, runUntilKilled, withDirectory } from './judge.ts';

/** Every durable write of a host. */
const WRITES = ['call-create', 'call-handle', 'call-settle', 'call-ack', 'call-answer', 'call-sweep'] as const;

const toPoints = (writes: readonly string[]) => writes.flatMap((write) => [`${write}:before`, `${write}:after`]);

/** Every crash point of the ledger that concerns a call. */
export const LEDGER_POINTS = toPoints([...WRITES, 'call-adopt']);

/** Where a host notes its child processes. */
export const CHILD_POINTS = toPoints(['child-add', 'child-process', 'child-remove']);

export interface HostKill {
  readonly point: string;
  /** Calls of each kind; there are eight kinds. */
  readonly count: number;
  /** At which time it comes to the point it is killed. */
  readonly hit: number;
}

/** Kills a host at a crash point, and judges what became of its calls. */
export async function killHost({ point, count, hit }: HostKill): Promise<void> {
  await withDirectory(async (dir) => {
    // These are written by a host that comes after another one.
    const isLater = /adopt|sweep/.test(point);
    if (isLater) await runUntilKilled('host-crash', dir, 'call-handle:after', String(count), String(hit));
    const isOnce = point.startsWith('call-sweep');
    await runUntilKilled('host-crash', dir, point, String(isLater ? 0 : count), isOnce ? '1' : String(hit));
    await judgeHost(dir);
  });
}

/** The calls in the ledger, as the program prints them at its end. */
export function readCalls(stdout: string): Kept[] {
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Kept);
}

interface Kept {
  readonly callId: string;
  readonly tool: keyof typeof KINDS;
  readonly label?: string;
  readonly dialect?: string;
  readonly outcome?: CallOutcome;
  readonly isAcked: boolean;
}

/** What each tool answers, and whether its work ends with its host. */
const KINDS = {
  render: { mayBeCut: false, text: 'rendered' },
  publish: { mayBeCut: false, text: 'published' },
  print: { mayBeCut: false, text: 'printed' },
  sync: { mayBeCut: true, text: 'Sync completed' },
  lookup: { mayBeCut: true, text: 'job_id' },
} as const;

async function judgeHost(dir: string): Promise<void> {
  const answered = readAnswered(dir);
  const before = readRecords(join(dir, 'journal.txt'));
  const ran = await runProgram('host-crash', dir, 'none');
  expect(ran.code, ran.stderr).toBe(0);
  const calls = readCalls(ran.stdout);
  const journal = readRecords(join(dir, 'journal.txt'));
  const ids = calls.map(({ callId }) => callId);
  for (const [callId = ''] of pick(journal, 'called'))
    expect(ids, 'a call that was made is in the ledger').toContain(callId);

  const acked = pick(journal, 'acked').flat();
  expect(new Set(acked).size, 'no outcome was acknowledged twice').toBe(acked.length);
  // Whoever had said nothing yet that is on disk when the host was killed is asked again, and by the next host once.
  const asked = pick(journal.slice(before.length), 'asked').flat();
  expect(new Set(asked).size, 'nobody was asked twice').toBe(asked.length);
  expect(
    asked.filter((callId) => answered.has(callId)),
    'nobody was asked again who had answered',
  ).toEqual([]);
  for (const call of calls) judgeCall(call, journal);
  judgeRuns(calls, readLines(join(dir, 'runs.txt')));
}

/** The calls with an answer on disk. */
function readAnswered(dir: string): Set<string> {
  const ledger = openDriver(join(dir, 'ledger.db'), { readOnly: true });
  // The keeper of the killed host may be the first to open its ledger, which is locked while its log is read again.
  ledger.exec('PRAGMA busy_timeout = 60000');
  try {
    const rows = ledger.prepare('SELECT call AS callId FROM answer').all() as { readonly callId: string }[];
    return new Set(rows.map(({ callId }) => callId));
  } finally {
    ledger.close();
  }
}

function judgeCall({ callId, tool, label, outcome, isAcked }: Kept, journal: readonly string[][]): void {
  expect(isAcked, `the outcome of ${tool} was taken`).toBe(true);
  const kinds = new Set(pick(journal, 'outcome').flatMap(([id, kind]) => (id === callId ? [kind] : [])));
  expect(kinds.size, 'everybody saw the same outcome').toBe(1);
  const { mayBeCut, text } = KINDS[tool];
  // A server that is not ours ends with its host, and what it was doing ends with it; nothing else may be lost.
  if (mayBeCut && outcome?.kind === 'interrupted') return;
  expect(JSON.stringify(outcome)).toContain(tool === 'render' ? `${label} ${text}` : text);
}

/** What ended with a result ran once, and nothing ran twice. */
function judgeRuns(calls: readonly Kept[], runs: readonly string[]): void {
  for (const tool of ['publish', 'print'] as const) {
    const made = calls.filter((call) => call.tool === tool);
    expect(runs.filter((run) => run.startsWith(tool)).length, `runs of ${tool}`).toBe(made.length);
  }
  const named = runs.filter((run) => !/^(publish|print) /.test(run));
  expect(new Set(named).size, 'no tool ran twice').toBe(named.length);
  for (const { tool, label, outcome } of calls) {
    if (label === undefined || outcome?.kind !== 'result') continue;
    expect(named, `${tool} ${label} has run`).toContain(`${tool} ${label} 1`);
  }
}
