/** Five minutes in which the parts of a gateway are killed at random moments, with fifty calls under way. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { inRoot } from '../../../scripts/root.mjs';
import { runGatewayKills } from '../../campaign/gateway/gateway-kills.ts';
import { PARTS } from '../../campaign/gateway/gateway-stage.ts';

const KEPT = inRoot('.cache', 'gateway-kills');
const LONG = { seed: 464_046_959, ms: 300_000, calls: 50, everyMs: 1500 };

it('[GATE-260] five minutes of kills with fifty calls: nothing lost, delivered twice or left running', async () => {
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
}, 1_800_000);
