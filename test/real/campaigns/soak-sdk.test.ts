import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSoak } from '../../../src/campaign/soak/run-soak.ts';
import { makeDirectory, readSoak } from '../../campaign/soak/soak-rig.ts';
import { programPath } from '../../programs/program-path.js';

const PROGRAM = programPath('host-sdk1-server.js');

/** Soaks a server on the SDK as it is published, whose tool waits for a gate that is open. */
function soak(medium: 'stdio' | 'http', ...options: string[]) {
  const directory = makeDirectory();
  writeFileSync(join(directory, 'open-g'), '');
  const calls = ['--tool', 'hold', '--arguments', '{"gate":"g"}', '--answer', 'g is open', '--max-p95-ms', '60000'];
  const server = ['--', process.execPath, PROGRAM, directory, medium];
  const transport = medium === 'http' ? 'http' : 'line';
  const line = ['soak', ...calls, '--transport', transport, '--pass-env', 'HOLDFAST_TEST_FILE', ...options, ...server];
  return runSoak(readSoak(line), 'test');
}

describe('a server on version 1 of the SDK', () => {
  it.each(['stdio', 'http'] as const)('[BAD-504] passes a soak over %s, with a killed server', async (medium) => {
    const { report } = await soak(medium, '--iterations', '50', '--timeout-sec', '60');
    expect(report.results.failures).toEqual([]);
    expect(report.results).toMatchObject({ latency: { count: 50 }, kills: [{ what: 'server' }] });
  });

  it('[BAD-504] that holds tasks/result of a task that waits for an answer fails the probe', async () => {
    const probe = ['--probe-nonterminal-task-result', '--probe-tool', 'ask', '--probe-arguments', '{"label":"x"}'];
    const { report } = await soak('stdio', ...probe, '--iterations', '1', '--timeout-sec', '5', '--no-kill-server');
    expect(report.results.failures).toEqual([
      'task_result_probe_exception:timed out waiting for response id=probe-task-result',
    ]);
  });
});
