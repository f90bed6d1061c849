import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SoakReport } from '../../../src/campaign/soak/soak-report.ts';
import { runCli } from '../../cli/run-cli.ts';
import { makeDirectory } from './soak-rig.ts';

const FEW = ['--iterations', '3', '--warmup-requests', '0', '--no-kill-server', '--no-kill-worker'];
const PATIENT = ['--max-p95-ms', '60000', '--timeout-sec', '60', '--pass-env', 'HOLDFAST_TEST_FILE'];

it('[HOSTS-202] a soak over frames passes against the demo', async () => {
  const directory = makeDirectory();
  const words = ['soak', '--transport', 'framed', '--report-dir', directory];
  const { code, stderr } = await runCli([...words, ...FEW, ...PATIENT]);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const json = (await readdir(directory)).find((name) => name.endsWith('.json')) ?? '';
  const { results }: SoakReport = JSON.parse(await readFile(join(directory, json), 'utf8'));
  expect(results).toMatchObject({ failures: [], malformed_probe_ok: true, latency: { count: 3 } });
});
