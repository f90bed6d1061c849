import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAtLeast } from '../../scripts/install/node-floor.mjs';
import { withLock } from '../../scripts/lock.mjs';
import { runCommand } from './run-command.ts';
import { createScriptsFixture, type ScriptsFixture } from './scripts-fixture.ts';

const OXLINT =
  '--type-aware -A all -D typescript/no-floating-promises -D typescript/no-misused-promises -D typescript/switch-exhaustiveness-check src test bench examples scripts';
const VITEST = 'vitest run --reporter=default --reporter=json --outputFile.json=REPORT --mode';

// After the build, beside the tests and each other: in any order.
const BESIDE = [
  'biome check --error-on-warnings .',
  'knip ',
  `oxlint ${OXLINT}`,
  'publint FOLDER --strict --pack false',
  'tsc -p test --checkers 1',
  'tsc -p web --checkers 1',
];
// The types are checked beside the tests.
const GATE = ['tsc -p . --noCheck', ...BESIDE, `${VITEST} test`];

const CHECK = [
  'biome check --error-on-warnings .',
  `oxlint --tsconfig test/tsconfig.source.json ${OXLINT}`,
  'tsc -p .cache/source/test/tsconfig.source.json --checkers 1 --pretty false --incremental --tsBuildInfoFile .cache/source.tsbuildinfo',
  `${VITEST} pure`,
];

/** The calls of a gate, with what ran beside each other in alphabetical order. */
function toOrder(calls: readonly string[]): readonly string[] {
  const all = calls.map((call) =>
    call.replace(/(--outputFile\.json=)\S+/, '$1REPORT').replace(/^publint \S+/, 'publint FOLDER'),
  );
  const { length } = GATE;
  return all.length < length ? all : [...all.slice(0, 1), ...all.slice(1, length).sort(), ...all.slice(length)];
}

describe('the scripts', () => {
  let project: ScriptsFixture;

  beforeAll(async () => {
    project = await createScriptsFixture();
    await project.write('dist/index.js', '');
    await project.write('dist/gone/old.js', '');
    await project.write('examples/story/story.js', "console.log('once upon a time');");
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it('[PKG-03] install what is missing once, and nothing the second time', async () => {
    const first = await project.npm(['start']);
    const second = await project.npm(['start']);
    expect(first).toMatchObject({
      code: 0,
      lines: ['Installing dependencies…', 'once upon a time'],
      calls: ['tsc -p .'],
    });
    expect(second).toMatchObject({ code: 0, lines: ['once upon a time'], calls: ['tsc -p .'] });
  });

  it('install again when the lock file has changed', async () => {
    await project.write(
      'package-lock.json',
      JSON.stringify({ name: 'fixture', lockfileVersion: 3, packages: {}, x: 1 }),
    );
    expect((await project.script('start')).lines).toContain('Installing dependencies…');
  });

  it('remove from dist what has no source any more', async () => {
    await project.script('build');
    expect(await readdir(join(project.folder, 'dist'), { recursive: true })).toEqual(['gone', 'index.js']);
  });

  it('pass on the exit code of the story', async () => {
    await project.write('examples/story/story.js', 'process.exit(3)');
    expect((await project.script('start')).code).toBe(3);
  });

  it('[PKG-04] run the whole gate in order and close with the count', async () => {
    const { code, calls, lines } = await project.npm(['test']);
    expect(toOrder(calls)).toEqual(GATE);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '10 passed, 0 failed' });
  });

  it.each([
    ['biome', 0, ['FAILED: format, lint and layers (biome)', '9 passed, 1 failed']],
    ['publint', 0, ['FAILED: package contents (publint)', '9 passed, 1 failed']],
    ['publint knip', 0, ['FAILED: package contents (publint)', 'FAILED: nothing unused (knip)', '8 passed, 2 failed']],
    ['vitest', 2, ['FAILED: tests (vitest)', '10 passed, 2 failed']],
    ['vitest', 0, ['FAILED: tests (vitest)', '10 passed, 1 failed']],
  ])('[PKG-04] say what failed and exit 1: %s with %d failed tests', async (failing, failedTests, closing) => {
    const { code, lines } = await project.script('test', [], { FAIL: failing, FAILED_TESTS: `${failedTests}` });
    expect({ code, closing: lines.slice(-closing.length) }).toEqual({ code: 1, closing });
  });

  it('[ROOMS-200] check the source without a build, and close with the count', async () => {
    const { code, calls, lines } = await project.npm(['run', 'check']);
    expect(toOrder(calls).toSorted()).toEqual(CHECK);
    // Three tests, and types, lint, promises and layers.
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '7 passed, 0 failed' });
    const red = await project.script('check', [], { FAIL: 'oxlint' });
    expect({ code: red.code, closing: red.lines.slice(-2) }).toEqual({
      code: 1,
      closing: ['FAILED: promises and switches (oxlint)', '6 passed, 1 failed'],
    });
  });

  it('[ROOMS-201] name the ten slowest files before the count, and keep the times of all', async () => {
    const { lines } = await project.script('test', [], { FILES: '12' });
    expect(lines.slice(-12)).toEqual([
      'The slowest test files; all of them are in .cache/test-times.txt:',
      ...[12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map(
        (seconds) => `   ${`${seconds}`.padStart(2)}.0 s  test/${seconds}.test.ts (1 test)`,
      ),
      '10 passed, 0 failed',
    ]);
    const times = await readFile(join(project.folder, '.cache', 'test-times.txt'), 'utf8');
    expect(times.split('\n').at(11)).toBe('    1.0 s  test/1.test.ts (1 test)');
  });

  it.each([
    ['waits: too late', 'failed'],
    ['', 'passed'],
  ])('[ROOMS-205] run a file that failed beside the others (%s) once more alone, and name it', async (why, test) => {
    const env = { BESIDE: 'test/a.test.ts', BROKEN_TEST: test };
    const { code, lines, calls } = await project.script('test', [], env);
    const runs = calls.filter((call) => call.startsWith('vitest'));
    expect(runs).toHaveLength(2);
    expect(runs[1]).toMatch(/ --mode test --no-file-parallelism test\/a\.test\.ts$/);
    expect(code).toBe(0);
    expect(lines.at(-2)).toBe(`UNSTEADY, passed alone: test/a.test.ts: ${why}`);
    expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed$/);
  });

  it('[ROOMS-205] do so among the tests that were meant', async () => {
    const { code, calls } = await project.script('check', [], { BESIDE: 'test/a.test.ts' });
    const again = calls.filter((call) => call.startsWith('vitest'))[1];
    expect({ code, again }).toEqual({ code: 0, again: expect.stringMatching(/ --mode pure --no-file-parallelism /) });
  });

  it('[ROOMS-205] fail when it fails again', async () => {
    const { code, lines } = await project.script('test', [], { ALWAYS: 'test/a.test.ts' });
    expect({ code, closing: lines.slice(-2) }).toEqual({
      code: 1,
      closing: ['FAILED: test/a.test.ts: waits: too late', '13 passed, 1 failed'],
    });
  });

  it('run nothing on a build that failed', async () => {
    const { code, calls, lines } = await project.script('test', [], { FAIL: 'tsc' });
    const [first, ...others] = calls.map((call) => call.split(' ')[0]);
    expect([first, ...others.sort()]).toEqual(['tsc', 'biome', 'knip', 'oxlint', 'tsc']);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '3 passed, 2 failed' });
  });

  it('hand arguments to vitest and leave the other checks out, saying so', async () => {
    const { calls, lines } = await project.script('test', ['test/task', '-t', 'status']);
    expect(calls.slice(1)).toEqual([expect.stringMatching(/^vitest run .* test\/task -t status$/)]);
    expect(lines.join('\n')).toContain('the other checks of the gate are left out');
    expect(lines.at(-1)).toBe('4 passed, 0 failed');
  });

  it('close with the count even when nothing could be installed', async () => {
    await project.amend({ dependencies: { tools: 'file:nowhere.tgz' } });
    const { code, lines } = await project.npm(['test']);
    await project.amend({});
    expect({ code, lines: lines.slice(-2) }).toEqual({ code: 1, lines: ['FAILED: set-up', '0 passed, 1 failed'] });
  });

  it('[PKG-08] tell an older Node what is needed, in one line', async () => {
    await project.amend({ engines: { node: '>=99.1' } });
    const { code, lines } = await project.script('start');
    await project.amend({});
    expect({ code, lines }).toEqual({
      code: 1,
      lines: [`Holdfast needs Node 99.1 or newer; this is ${process.version}.`],
    });
  });

  it('[PKG-05] run the gate in continuous integration, and then the real tests once there are any', async () => {
    const scripts = { test: 'node scripts/test.mjs' };
    await project.amend({ scripts });
    const without = await project.ci();
    await project.amend({ scripts: { ...scripts, 'test:real': 'biome for real' } });
    const green = await project.ci();
    const red = await project.ci({ FAIL: 'knip' });
    await project.amend({});
    expect([without.code, toOrder(without.calls)]).toEqual([0, GATE]);
    expect([green.code, toOrder(green.calls)]).toEqual([0, [...GATE, 'biome for real']]);
    expect([red.code, toOrder(red.calls)]).toEqual([1, GATE]);
  });
});

describe('the Node floor', () => {
  it.each([
    ['20.19.0', true],
    ['20.18.3', false],
    ['18.20.0', false],
    ['22.0.0', true],
    ['9.99.0', false],
  ])('Node %s is new enough for 20.19: %s', (version, expected) => {
    expect(isAtLeast(version, '20.19')).toBe(expected);
  });
});

describe('the lock of the scripts', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-lock-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('lets one at a time in', async () => {
    let inside = 0;
    const most: number[] = [];
    const enter = () =>
      withLock(join(folder, 'busy.lock'), async () => {
        inside += 1;
        most.push(inside);
        await readdir(folder);
        inside -= 1;
      });
    await Promise.all([enter(), enter(), enter()]);
    expect(most).toEqual([1, 1, 1]);
  });

  it('is freed when the work fails', async () => {
    const path = join(folder, 'failing.lock');
    await expect(withLock(path, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(await withLock(path, async () => 'in')).toBe('in');
  });

  it('is taken over from an owner that is dead', async () => {
    const path = join(folder, 'dead.lock');
    await writeFile(path, await toDeadPid());
    expect(await withLock(path, async () => 'in')).toBe('in');
  });
});

async function toDeadPid(): Promise<string> {
  const { output } = await runCommand([process.execPath, '-p', 'process.pid']);
  return output.trim();
}
