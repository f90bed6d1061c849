import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSoak } from '../../../src/campaign/soak/run-soak.ts';
import { makeDirectory, readSoak, soak } from './soak-rig.ts';

const CALM = ['--no-kill-server', '--iterations', '8', '--warmup-requests', '0'];

/** What a soak of the foreign server in this mode finds. */
async function findFailures(mode: string, ...options: string[]): Promise<readonly string[]> {
  const { report } = await soak(mode, ...CALM, ...options);
  expect(report.outcome).toBe(report.results.failures.length === 0 ? 'pass' : 'fail');
  return report.results.failures;
}

describe('a soak of a foreign server', () => {
  it('[BAD-504] passes over lines, with a killed server, the probe and a malformed frame', async () => {
    const { report, timeline } = await soak('good', '--probe-nonterminal-task-result', '--max-p95-ms', '10000');
    expect(report.results.failures).toEqual([]);
    expect(report).toMatchObject({
      run_id: 'test',
      outcome: 'pass',
      config: { iterations: 25, warmup_requests: 1, timeout_sec: 10, transport: 'line', era: '2025-11-25' },
      results: {
        malformed_probe_ok: true,
        task_result_probe: {
          enabled: true,
          expected_error_code: '-32002',
          requested_wait: false,
          observed_error_code: '-32002',
          observed_retryable_nonterminal_error: true,
          task_id: 'task-1',
        },
        error_codes: {},
        latency: { count: 25 },
        kills: [{ what: 'server', recovery_ms: expect.any(Number) }],
      },
    });
    expect(timeline.marks().map(({ kind }) => kind)).toEqual(['fault', 'recovery']);
  });

  it.each(['framed', 'http'])('[BAD-504] passes over %s, with a killed server', async (transport) => {
    const { report } = await soak(transport, '--transport', transport, '--iterations', '10', '--max-p95-ms', '10000');
    expect(report.results).toMatchObject({ failures: [], malformed_probe_ok: true, latency: { count: 10 } });
  });

  it('[BAD-505] whose calls must fail counts their codes', async () => {
    const { report } = await soak('fails', ...CALM, '--expect', 'error');
    expect(report).toMatchObject({ outcome: 'pass', results: { error_codes: { '-32603': 8 } } });
    expect(await findFailures('mixed', '--expect', 'error')).toEqual([
      "multiple_error_codes_observed:['-32000', '-32603']",
    ]);
    expect(await findFailures('good', '--expect', 'error')).toEqual([
      ...Array.from({ length: 8 }, (_, at) => `iteration_${at}_missing_error`),
      'expected_error_code_-32603_not_observed',
    ]);
  });
});

describe('a soak finds a server that', () => {
  it('[BAD-506] loses a call', async () => {
    expect(await findFailures('loses', '--timeout-sec', '1')).toEqual([
      'iteration_4_exception:timed out waiting for response id=soak-4',
      'response_count_mismatch:7/8',
    ]);
  });

  it.each([
    ['twice', 'line'],
    ['http-twice', 'http'],
  ])('[BAD-506] answers %s over %s', async (mode, transport) => {
    expect(await findFailures(mode, '--transport', transport)).toEqual(['duplicate_response:soak-4']);
  });

  it('[BAD-506] answers another call, or fails', async () => {
    const four = [4, 5, 6, 7];
    expect(await findFailures('wrong')).toEqual(four.map((at) => `iteration_${at}_wrong_answer`));
    expect((await findFailures('fails'))[0]).toBe('iteration_0_unexpected_error:-32603');
  });

  it('[BAD-506] dies', async () => {
    expect(await findFailures('dies')).toEqual([
      'iteration_4_exception:server exited while awaiting response',
      'server_died:exit code 7',
      'response_count_mismatch:4/8',
    ]);
  });

  it('[BAD-506] does not bear what is no message, or does not come back after a kill', async () => {
    expect((await findFailures('deaf'))[0]).toBe('malformed_frame_probe_failed');
    const { report } = await soak(`once ${join(makeDirectory(), 'started')}`, '--iterations', '8');
    expect(report.results.failures[0]).toBe('server_kill_not_recovered:the server did not start: exit code 4');
    expect(report.results.kills).toMatchObject([{ what: 'server', recovery_ms: null }]);
  });

  it('[BAD-506] has no worker that could be killed', async () => {
    expect(await findFailures('good', '--kill-worker', '--timeout-sec', '1')).toEqual(['worker_kill_found_no_worker']);
  });

  it('[BAD-506] does not speak the transport', async () => {
    expect(await findFailures('good', '--transport', 'framed', '--timeout-sec', '1')).toEqual([
      'initialize_missing_result',
      'transport_not_spoken:framed',
      'response_count_mismatch:0/8',
    ]);
  });

  it('[BAD-507] is slow, or gets slower', async () => {
    const failures = await findFailures('slower', '--iterations', '408', '--max-drift', '1.1', '--max-p95-ms', '5');
    expect(failures).toEqual([
      expect.stringMatching(/^p95_exceeds_budget:\d+\.\d\d>5\.00$/),
      expect.stringMatching(/^latency_p95_drift_exceeds_limit:\d+\.\d\d>1\.10$/),
    ]);
  });

  it.runIf(process.platform === 'linux')('[BAD-507] leaks memory and descriptors', async () => {
    const failures = await findFailures('leaks', '--iterations', '150', '--max-drift', '1.1', '--max-p95-ms', '10000');
    expect(failures).toContainEqual(expect.stringMatching(/^rss_drift_exceeds_limit:\d+\.\d\d>1\.10$/));
    expect(failures).toContainEqual(expect.stringMatching(/^descriptors_drift_exceeds_limit:\d+\.\d\d>1\.10$/));
  });
});

describe('a soak that cannot begin is refused by name', () => {
  it('[BAD-508] when the server does not start', async () => {
    await expect(soak('never')).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      message: 'the server did not start: exit code 3; it said: no licence found',
    });
    await expect(soak('never', '--transport', 'http')).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    const missing = readSoak(['soak', '--tool', 'x', '--', 'no-such-program-anywhere']);
    await expect(runSoak(missing, 'test')).rejects.toMatchObject({ code: 'SPAWN_FAILED' });
    const nobody = readSoak(['soak', '--tool', 'x', '--url', 'http://127.0.0.1:9/mcp']);
    await expect(runSoak(nobody, 'test')).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      message: expect.stringMatching(/^no server answers: no answer over HTTP: /),
    });
  });

  it('[BAD-508] when there is no such tool', async () => {
    await expect(soak('good', '--tool', 'shout')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: 'the server has no tool "shout"; expected: echo',
    });
  });
});
