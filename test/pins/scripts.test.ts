import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withLock } from '../../scripts/lock.mjs';
import { isAtLeast } from '../../scripts/node-floor.mjs';
import { runCommand } from './run-command.ts';
import { createScriptsFixture, type ScriptsFixture } from './scripts-fixture.ts';

const GATE = [
  'tsc -p .',
  'biome check --error-on-warnings .',
  'oxlint --type-aware -A all -D typescript/no-floating-promises -D typescript/no-misused-promises -D typescript/switch-exhaustiveness-check src test bench examples scripts',
  'tsc -p test',
  expect.stringMatching(/^vitest run --reporter=default --reporter=json --outputFile\.json=\S+$/),
  'knip ',
  'publint --strict',
  'attw --pack . --profile esm-only',
];

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
    expect((await project.npm(['start'])).lines).toContain('Installing dependencies…');
  });

  it('remove from dist what has no source any more', async () => {
    await project.npm(['run', 'build']);
    expect(await readdir(join(project.folder, 'dist'), { recursive: true })).toEqual(['gone', 'index.js']);
  });

  it('pass on the exit code of the story', async () => {
    await project.write('examples/story/story.js', 'process.exit(3)');
    expect((await project.npm(['start'])).code).toBe(3);
  });

  it('[PKG-04] run the whole gate in order and close with the count', async () => {
    const { code, calls, lines } = await project.npm(['test']);
    expect(calls).toEqual(GATE);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 0, last: '10 passed, 0 failed' });
  });

  it.each([
    ['biome', 0, ['FAILED: format, lint and layers (biome)', '9 passed, 1 failed']],
    ['knip attw', 0, ['FAILED: nothing unused (knip)', 'FAILED: package types (attw)', '8 passed, 2 failed']],
    ['vitest', 2, ['FAILED: tests (vitest)', '10 passed, 2 failed']],
    ['vitest', 0, ['FAILED: tests (vitest)', '10 passed, 1 failed']],
  ])('[PKG-04] say what failed and exit 1: %s with %d failed tests', async (failing, failedTests, closing) => {
    const { code, lines } = await project.npm(['test'], { FAIL: failing, FAILED_TESTS: `${failedTests}` });
    expect({ code, closing: lines.slice(-closing.length) }).toEqual({ code: 1, closing });
  });

  it('run nothing on a build that failed', async () => {
    const { code, calls, lines } = await project.npm(['test'], { FAIL: 'tsc' });
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['tsc', 'biome', 'oxlint', 'knip']);
    expect({ code, last: lines.at(-1) }).toEqual({ code: 1, last: '3 passed, 1 failed' });
  });

  it('hand arguments to vitest and leave the other checks out, saying so', async () => {
    const { calls, lines } = await project.npm(['test', '--', 'test/task', '-t', 'status']);
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
    const { code, lines } = await project.npm(['start']);
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
    expect(without).toMatchObject({ code: 0, calls: GATE });
    expect(green).toMatchObject({ code: 0, calls: [...GATE, 'biome for real'] });
    expect(red).toMatchObject({ code: 1, calls: GATE });
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
