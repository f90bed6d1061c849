import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { judge } from '../../../dist/campaign/chaos/judge.js';
import type { Evidence } from '../../../src/campaign/chaos/evidence.ts';
import { PATIENT, runGatewayKills } from './gateway-kills.ts';

// Five minutes of it, with fifty calls at once, are tried in test/real.
const SHORT = { seed: 20_261_117, ms: 10_000, calls: 8, everyMs: 1500 };

it('[GATE-260] ten seconds of kills: no call is lost, doubled or left running, and what is planted is found', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-gateway-kills-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { violations, evidence, kills } = await runGatewayKills({ dir, ...SHORT });
  expect(violations).toEqual([]);
  expect(Object.values(kills).reduce((sum, count) => sum + count)).toBeGreaterThan(3);
  for (const [verdict, planted] of plant(evidence)) {
    expect(
      judge(planted, PATIENT).map((found) => found.verdict),
      verdict,
    ).toContain(verdict);
  }
}, 900_000);

/** The evidence of a good run with one thing in it made wrong. */
function plant(evidence: Evidence): (readonly [verdict: string, Evidence])[] {
  const { journal, tasks = [] } = evidence;
  const once = tasks.find((task) => !task.idempotent && task.told?.kind === 'result');
  const begun = journal.find((entry) => entry.kind === 'begun' && entry.callId === once?.callId);
  const told = journal.find((entry) => entry.kind === 'delivered' && entry.callId === once?.callId);
  if (!once || !begun || told?.kind !== 'delivered') throw new Error('no call that may not be repeated has ended well');
  // A client that was killed while it wrote that down was told again.
  const untold = journal.filter((entry) => entry.kind !== 'delivered' || entry.callId !== once.callId);
  return [
    ['doubled', { ...evidence, journal: [...journal, { ...begun, at: begun.at + 1, pid: 1 }] }],
    ['stuck', { ...evidence, journal: untold }],
    ['contradictory', { ...evidence, journal: [...journal, { ...told, told: { kind: 'result', text: 'other' } }] }],
    ['left-running', { ...evidence, left: [{ pid: 1, command: 'a worker' }] }],
  ];
}
