/** Five minutes in which the parts of a gateway are killed at random moments, with fifty calls under way. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { judge } from '../../../dist/campaign/chaos/judge.js';
import { inRoot } from '../../../scripts/root.mjs';
import type { Evidence } from '../../../src/campaign/chaos/evidence.ts';
import { PATIENT, runGatewayKills } from '../../campaign/gateway/gateway-kills.ts';
import { PARTS } from '../../campaign/gateway/gateway-stage.ts';

const KEPT = inRoot('.cache', 'gateway-kills');
const LONG = { seed: 464_046_959, ms: 300_000, calls: 50, everyMs: 1500 };

it('[GATE-260] five minutes of kills with fifty calls: nothing lost, delivered twice or left running, and what is planted is found', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-gateway-kills-'));
  onTestFinished(({ task }) => {
    // What was found is kept for whoever wants to know why.
    if (task.result?.state !== 'pass') {
      cpSync(dir, KEPT, { recursive: true });
      console.log(`journals and store: ${KEPT}`);
    }
    rmSync(dir, { recursive: true, force: true });
  });
  const { violations, evidence, kills } = await runGatewayKills({ dir, ...LONG });
  console.log(`${JSON.stringify(kills)} kills, ${evidence.tasks?.length} calls`);
  expect(violations).toEqual([]);
  for (const part of PARTS) expect(kills[part], part).toBeGreaterThan(3);
  for (const [verdict, planted] of plant(evidence)) {
    expect(
      judge(planted, PATIENT).map((found) => found.verdict),
      verdict,
    ).toContain(verdict);
  }
}, 1_800_000);

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
