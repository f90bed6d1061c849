import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildShim } from '../../../src/campaign/chaos/peers/shim.ts';

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;

/** What a process sees of its disk and its clock. */
const PROGRAM = `
  const { writeFileSync, openSync, fsyncSync } = require('node:fs');
  const tryTo = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
  const before = performance.now();
  const file = openSync(process.argv[1] + '/disk/b', 'w');
  const sync = tryTo(() => fsyncSync(file));
  console.log(JSON.stringify({
    inside: tryTo(() => writeFileSync(process.argv[1] + '/disk/a', 'x')),
    outside: tryTo(() => writeFileSync(process.argv[1] + '/a', 'x')),
    sync, syncMs: performance.now() - before, now: Date.now(),
  }));`;

it('[BAD-563] disks fail, fill up and get slow, and clocks jump, for marked processes and places alone', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-shim-')));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  execFileSync('mkdir', [join(dir, 'disk')]);
  const shim = await buildShim(dir, `${join(dir, 'disk')}/`);
  expect(shim !== undefined).toBe(hasCompiler);
  if (!shim) return;
  const look = () => {
    const env = { ...process.env, ...shim.toEnv('one') };
    return JSON.parse(execFileSync(process.execPath, ['-e', PROGRAM, dir], { env, encoding: 'utf8' }));
  };
  shim.set('one', {});
  expect(look()).toMatchObject({ inside: 'done', outside: 'done', sync: 'done' });
  shim.set('one', { error: 'EIO' });
  expect(look()).toMatchObject({ inside: 'EIO', outside: 'done', sync: 'EIO' });
  shim.set('one', { error: 'ENOSPC', clockMs: -7_200_000 });
  const full = look();
  expect(full).toMatchObject({ inside: 'ENOSPC', outside: 'done' });
  expect(Math.round((Date.now() - full.now) / 3_600_000)).toBe(2);
  shim.set('one', { syncMs: 300 });
  expect(look().syncMs).toBeGreaterThan(290);
  // The file of another name changes nothing here.
  shim.set('one', {});
  shim.set('two', { error: 'EIO' });
  expect(look()).toMatchObject({ inside: 'done' });
});
