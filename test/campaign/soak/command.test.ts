import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import type { SoakReport } from '../../../src/campaign/soak/soak-report.ts';
import { runCli, startCli } from '../../cli/run-cli.ts';
import { makeDirectory, toLine } from './soak-rig.ts';

it('[BAD-514] a soak that is interrupted ends its server and tells what it measured', async () => {
  const directory = makeDirectory();
  const long = ['--duration-sec', '3600', '--no-kill-server', '--report-dir', directory];
  const child = startCli(toLine('soak', 'good', long));
  const ended = once(child, 'exit');
  let shown = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  await until(() => /line 2025-11-25: \d+ calls, last [\d.]+ ms, failures: 0/.test(shown), {
    what: 'the progress of the soak',
    timeoutMs: 60_000,
  });
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(130);
  const json = (await readdir(directory)).find((name) => name.endsWith('.json')) ?? '';
  const report: SoakReport = JSON.parse(await readFile(join(directory, json), 'utf8'));
  expect(report.results.failures[0]).toBe('interrupted_by_signal');
});

it('[BAD-514] a campaign that is not ready, or a command line that is not understood, ends with 2', async () => {
  const few = ['--eras', '2025-11-25', '--streak-target', '1', '--max-campaign-runs', '1', '--soak-iterations', '1'];
  const open = ['--no-kill-server', '--open-wrapper-defects', '1', '--report-dir', makeDirectory()];
  const { code, stdout } = await runCli(toLine('closure', 'good', [...few, ...open]));
  expect([code, stdout.split(',')[0]]).toEqual([2, 'closure_ready: false']);
  const { code: unusable, stderr } = await runCli(['closure', '--streaks', '5']);
  expect([unusable, stderr.split(';')[0]]).toEqual([2, 'holdfast: "closure" has no option --streaks']);
});
