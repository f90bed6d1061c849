/** A server that breaks its promise is found by the command, and its plan is shrunk to the one fault that it takes. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { programPath } from '../../programs/program-path.js';

const SERVER = programPath('forgetful-server.js');

const PLAN = {
  version: 1,
  seed: 1,
  ms: 8000,
  faults: [
    { atMs: 500, kind: 'kill', target: 'host' },
    { atMs: 2500, kind: 'stop', target: 'host', forMs: 500 },
    { atMs: 6000, kind: 'kill', target: 'server' },
    { atMs: 7000, kind: 'stop', target: 'server', forMs: 300 },
  ],
};

it('[BAD-559] [BAD-564] [BAD-572] a server that acknowledges and forgets fails, by one kill alone', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-chaos-shrink-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const file = join(dir, 'plan.json');
  await writeFile(file, JSON.stringify(PLAN));
  const given = ['--plan', file, '--report-dir', join(dir, 'report'), '--tool', 'work'];
  const { code, stdout, stderr } = await runCli(['chaos', ...given, '--', process.execPath, SERVER]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('seed 1\n') });
  expect(stdout).toMatch(/^FAILED: 1 rounds/);
  expect(stdout).toContain('not done or judged: doubled');
  const report = JSON.parse(await readFile(join(dir, 'report', 'chaos.json'), 'utf8'));
  expect(report.verdicts.lost).toBeGreaterThan(0);
  expect(report.shrunk).toMatchObject([{ isShortest: true, list: [{ kind: 'kill' }] }]);
  const page = await readFile(join(dir, 'report', 'chaos.md'), 'utf8');
  expect(page).toContain('# Chaos: FAILED');
  expect(page).toContain('the shortest plan');
  const shortest = JSON.parse(await readFile(join(dir, 'report', 'round-1', 'shortest-plan.json'), 'utf8'));
  expect(shortest.faults).toEqual(report.shrunk[0].list);
}, 1_200_000);
