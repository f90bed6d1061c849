import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { crashPoint } from '../../src/crash-point.ts';
import { armCrashPoint, recordCrashPoints } from '../../src/testing/crash.ts';
import { until } from '../../src/testing/until.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Passes the points a, b, a, b, a, b and says so each time; what `arm` does happens before. */
function start(arm: string): ChildProcess {
  const program = `
    import { writeSync } from 'node:fs';
    const { crashPoint } = await import(process.argv[1] + 'crash-point.js');
    const { armCrashPoint } = await import(process.argv[1] + 'testing/crash.js');
    ${arm};
    for (const name of ['a', 'b', 'a', 'b', 'a', 'b']) { crashPoint(name); writeSync(1, name); }`;
  return spawn(process.execPath, ['--input-type=module', '-e', program, dist], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function run(arm: string): Promise<{ passed: string; signal: string | null }> {
  const child = start(arm);
  let passed = '';
  child.stdout?.on('data', (chunk) => {
    passed += chunk;
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { passed, signal };
}

describe('an armed crash point', () => {
  it('kills the process the first time it is passed', async () => {
    expect(await run(`armCrashPoint('b')`)).toEqual({ passed: 'a', signal: 'SIGKILL' });
  });

  it('kills it only at the pass that counts', async () => {
    expect(await run(`armCrashPoint('b', { hit: 3 })`)).toEqual({ passed: 'ababa', signal: 'SIGKILL' });
  });

  it('that is never passed, or was called off, changes nothing', async () => {
    expect(await run(`armCrashPoint('c')`)).toEqual({ passed: 'ababab', signal: null });
    expect(await run(`armCrashPoint('b')()`)).toEqual({ passed: 'ababab', signal: null });
  });

  it.runIf(process.platform === 'linux')('can pause the process once, and it goes on when told to', async () => {
    const child = start(`armCrashPoint('b', { signal: 'SIGSTOP' })`);
    let passed = '';
    child.stdout?.on('data', (chunk) => {
      passed += chunk;
    });
    const closed = once(child, 'close');
    await until(async () => /\) T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8')), { what: 'the pause' });
    await until(() => passed === 'a', { what: 'the first pass' });
    child.kill('SIGCONT');
    expect(await closed).toEqual([0, null]);
    expect(passed).toBe('ababab');
  });
});

describe('a recording of crash points', () => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  it('names every point that was passed, once', () => {
    const recording = recordCrashPoints();
    stops.push(recording.stop);
    for (const name of ['submit:before', 'submit:after', 'submit:before']) crashPoint(name);
    expect([...recording.names]).toEqual(['submit:before', 'submit:after']);
  });

  it('ends when it is stopped, and when a point is armed', () => {
    const stopped = recordCrashPoints();
    stopped.stop();
    const replaced = recordCrashPoints();
    stops.push(armCrashPoint('never passed'));
    crashPoint('a');
    expect([stopped.names.size, replaced.names.size]).toEqual([0, 0]);
  });
});
