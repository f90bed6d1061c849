/** Faults for as long as a coffee takes; `npm run chaos` is the same for a night, with a seed of its own each time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runChaos } from '../../../dist/campaign/chaos/campaign.js';

const SEED = 464_046_958;
const TEN_MINUTES_MS = 600_000;

async function openReportDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-chaos-report-'));
  onTestFinished(({ task }) => {
    // What was found is kept for whoever wants to know why.
    if (task.result?.state === 'pass') return rm(dir, { recursive: true });
    console.log(`plans and journals: ${dir}`);
  });
  return dir;
}

it('[BAD-571] ten minutes of every fault there is: nothing lost, doubled, stuck or interrupted without cause', async () => {
  const report = await runChaos({
    seed: SEED,
    ms: TEN_MINUTES_MS,
    reportDir: await openReportDir(),
    maxShrinkTries: 0,
  });
  console.log(`${report.kills} kills, ${report.calls} calls, recovery ${JSON.stringify(report.recovery)}`);
  expect(report.violations).toEqual([]);
  expect(report.passed).toBe(true);
  expect(report.kills).toBeGreaterThan(50);
}, 3_600_000);
