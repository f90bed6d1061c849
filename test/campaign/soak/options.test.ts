import { afterEach, describe, expect, it, vi } from 'vitest';
import { toSoakEnvironment } from '../../../src/campaign/soak/soak-options.ts';
import { readClosure, readSoak } from './soak-rig.ts';

const words = (line: string) => line.split(' ').filter(Boolean);
const FOREIGN = '-- node server.js';

afterEach(() => void vi.unstubAllEnvs());

describe('the options of a soak', () => {
  it('[BAD-512] have the names and the defaults of the harness they come from', () => {
    expect(readSoak(words(`soak --tool echo ${FOREIGN}`))).toMatchObject({
      iterations: 25,
      warmupRequests: 1,
      timeoutMs: 10_000,
      serverUrl: 'http://127.0.0.1:9',
      failureThreshold: 1,
      cooldownSec: 30,
      maxP95Ms: 400,
      taskResultMode: 'auto',
      taskResultAutoRetryClients: 'claude desktop,claude code,cursor,windsurf,continue',
      probeNonterminalTaskResult: false,
      injectMalformedFrame: true,
      workload: { expect: 'result', errorCode: '-32603', measured: { tool: 'echo', args: {} } },
    });
    expect(readClosure(words(`closure --tool echo ${FOREIGN}`))).toMatchObject({
      streakTarget: 30,
      maxCampaignRuns: 60,
      minP95ComplianceRatio: 0.95,
      transports: ['line'],
      openWrapperDefects: 0,
      soak: {
        iterations: 25,
        warmupRequests: 2,
        timeoutMs: 15_000,
        maxP95Ms: 5000,
        serverUrl: 'http://127.0.0.1:1',
        probeNonterminalTaskResult: true,
        taskWorkerStartDelayMs: 350,
      },
    });
  });

  it('[BAD-512] without a server are about the demo, with the probe and both kills', () => {
    const { target, killServer, killWorker, probeNonterminalTaskResult } = readSoak(['soak']);
    expect(target).toMatchObject({ kind: 'command', label: 'holdfast demo' });
    expect({ killServer, killWorker, probeNonterminalTaskResult }).toEqual({
      killServer: true,
      killWorker: true,
      probeNonterminalTaskResult: true,
    });
    expect(readClosure(['closure']).transports).toEqual(['line', 'http']);
    expect(readSoak(['soak', '--expect', 'error']).workload).toMatchObject({ expect: 'error', errorCode: '-32000' });
  });

  it('[BAD-512] take the program of a server, and run it as such files are run', () => {
    const toStdio = (file: string) => {
      const { target } = readSoak(['soak', '--tool', 'x', '--wrapper', file]);
      return target.kind === 'command' ? target.stdio : [];
    };
    expect(toStdio('mcp_wrapper.py')).toEqual(['python3', 'mcp_wrapper.py']);
    expect(toStdio('a.mjs')).toEqual([process.execPath, 'a.mjs']);
    expect(toStdio('./a')).toEqual(['./a']);
  });

  it('[BAD-513] reach the server as the variables of that harness; nothing else of ours but the usual few does', () => {
    vi.stubEnv('SECRET_KEY', 'x');
    vi.stubEnv('MUNINN_MCP_TASK_RESULT_MODE', 'blocking');
    vi.stubEnv('MUNINN_MCP_TASK_WORKER_START_DELAY_MS', '75');
    const soak = readSoak(words(`soak --tool x --server-url http://127.0.0.1:2 --cooldown-sec 1.5 ${FOREIGN}`));
    expect(soak).toMatchObject({ taskResultMode: 'blocking', taskWorkerStartDelayMs: 75 });
    const environment = toSoakEnvironment(soak, '/dir');
    expect(environment).toMatchObject({
      HOLDFAST_DIR: '/dir',
      MUNINN_SERVER_URL: 'http://127.0.0.1:2',
      MUNINN_MCP_AUTOSTART_ON_LAUNCH: '0',
      MUNINN_MCP_AUTOSTART_SERVER: '0',
      MUNINN_MCP_AUTOSTART_OLLAMA: '0',
      MUNINN_MCP_BACKEND_FAILURE_THRESHOLD: '1',
      MUNINN_MCP_BACKEND_COOLDOWN_SEC: '1.5',
      MUNINN_MCP_TASK_RESULT_MODE: 'blocking',
      HOLDFAST_TASK_RESULT_MODE: 'blocking',
      MUNINN_MCP_TASK_WORKER_START_DELAY_MS: '75',
    });
    expect(environment).not.toHaveProperty('SECRET_KEY');
    expect(toSoakEnvironment(readSoak(words(`soak --tool x --pass-env SECRET_* ${FOREIGN}`)), '/dir')).toHaveProperty(
      'SECRET_KEY',
    );
  });

  it.each([
    ['soak --iterations 0', '--iterations is "0"; expected a whole number from 1 to 100000000'],
    ['soak --timeout-sec 0', '--timeout-sec is "0"; expected a number from 0.001 to 10000000'],
    ['soak --max-p95-ms -1', '--max-p95-ms is "-1"; expected a number from 0.001 to 86400000'],
    ['soak --transport pigeon', '--transport is "pigeon"; expected: line, framed, http'],
    ['soak --era 2024-11-05', '--era is "2024-11-05"; expected: 2025-11-25, 2026-07-28'],
    ['soak --task-result-mode never', '--task-result-mode is "never"; expected: auto, blocking, immediate_retry'],
    ['soak --expect nothing', '--expect is "nothing"; expected result or error'],
    ['soak --tool x --arguments []', `--arguments is not usable; expected a JSON object such as '{"year":2025}'`],
    ['soak --arguments {}', '--arguments is about a tool; expected with --tool'],
    [
      'soak --task-worker-start-delay-ms 49',
      '--task-worker-start-delay-ms is 49; expected with --probe-nonterminal-task-result is 50 or more',
    ],
    ['soak --kill-server --no-kill-server', '--kill-server and --no-kill-server contradict each other; expected one'],
    [`soak ${FOREIGN}`, '--tool is missing; expected the name of a tool of the server'],
    [
      `soak --tool x --url http://h ${FOREIGN}`,
      'which server? expected: one of --url URL, --wrapper FILE or -- COMMAND…, or none for a demo',
    ],
    ['soak --tool x --url ftp://h', '--url is "ftp://h"; expected an http or https URL'],
    ['soak --tool x --url http://h --transport line', '--transport is line; expected with --url is http'],
    [
      'soak --tool x --url http://h --kill-server',
      'what runs behind --url cannot be killed from here; expected with --kill-server and --kill-worker is a command',
    ],
  ])('[BAD-508] "%s" is refused: %s', (line, message) => {
    expect(() => readSoak(words(line))).toThrow(expect.objectContaining({ code: 'USAGE', message }));
  });

  it.each([
    ['closure --streak-target 0', '--streak-target is "0"; expected a whole number from 1 to 10000'],
    [
      'closure --streak-target 5 --max-campaign-runs 4',
      '--max-campaign-runs is "4"; expected a whole number from 5 to 10000',
    ],
    [
      'closure --transports line,wire',
      '--transports has "wire" in it; expected: line, framed, http, with commas between',
    ],
    ['closure --transports ,', '--transports has "" in it; expected: line, framed, http, with commas between'],
    ['closure --min-p95-compliance-ratio 1.1', '--min-p95-compliance-ratio is "1.1"; expected a number from 0 to 1'],
    ['closure --soak-iterations x', '--soak-iterations is "x"; expected a whole number from 1 to 100000000'],
  ])('[BAD-508] "%s" is refused: %s', (line, message) => {
    expect(() => readClosure(words(line))).toThrow(expect.objectContaining({ code: 'USAGE', message }));
  });

  it('[BAD-508] an option of the other command is refused', () => {
    expect(() => readSoak(words('soak --streak-target 5'))).toThrow(/"soak" has no option --streak-target; expected: /);
  });
});
