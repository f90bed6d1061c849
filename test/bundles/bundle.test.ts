import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { inRoot } from '../../scripts/root.mjs';
import { expectDurable, openApp, textOf } from '../frameworks/open-app.ts';
import { share } from '../share.ts';
import { BUNDLERS, type Bundler, makeBundle } from './make-bundle.ts';

/** Node's own SQLite, where there is one, is left out: what is tested here is the package. */
const FLAGS = process.getBuiltinModule?.('node:sqlite') ? ['--no-experimental-sqlite'] : [];

/** The one package that cannot be in a bundle, where the bundle finds it. */
async function addDriver(directory: string): Promise<void> {
  await mkdir(join(directory, 'node_modules'));
  for (const name of ['@photostructure', 'node-gyp-build']) {
    await symlink(inRoot('node_modules', name), join(directory, 'node_modules', name));
  }
}

async function openBundle(bundler: Bundler) {
  const { path, directory } = await makeBundle(bundler);
  await addDriver(directory);
  return { directory, app: await openApp({ name: 'bundled', args: [...FLAGS, path] }) };
}

describe('a server that was bundled', () => {
  it.each(share(Object.keys(BUNDLERS) as Bundler[], { every: 3 }))(
    '[FIRST-220] by %s keeps its promises',
    async (bundler) => {
      const { app } = await openBundle(bundler);
      await expectDurable(app, 8);
      // Longer than a lease: its worker lives by the heartbeat of a thread.
      const blocked = await textOf(app, 'block', { ms: 2500 });
      expect(blocked).toMatch(/^blocked in \d+$/);
      expect(blocked).not.toBe(`blocked in ${app.pid()}`);
      expect(await textOf(app, 'apart')).not.toBe(`process ${app.pid()}`);
      expect(await textOf(app, 'greet', { name: 'Ann' })).toBe('Hello, Ann!');
      expect(await textOf(app, 'greet', { name: '' })).toMatch(/fewer than 2 characters/);
      expect(app.stderr()).toBe('');
      await until(async () => (await app.store.workers.list()).length === 0, { what: 'the idle worker to end' });
    },
  );

  it('[FIRST-221] and has no SQLite refuses to start, with the remedy', async () => {
    const { path, directory } = await makeBundle('esbuild to ESM');
    const env = { ...process.env, HOLDFAST_DIR: directory, PORT: '0' };
    const child = spawn(process.execPath, [...FLAGS, path], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect({ out, code }).toEqual({ out: '', code: 74 });
    expect(err).toMatch(
      /^STORE_FAILED: Node [\d.]+ has no SQLite .* @photostructure\/sqlite .*app\.mjs; .*Node 22\.13/,
    );
  });

  it('[FIRST-203] [FIRST-222] whose workers cannot work says so once, with their words and the remedy, and they end', async () => {
    const { app, directory } = await openBundle('esbuild to ESM');
    await rm(join(directory, 'node_modules'), { recursive: true });
    expect(await textOf(app, 'greet', { name: 'Ann' })).toBe('Hello, Ann!');
    expect(await textOf(app, 'greet', { name: 'Bob' })).toBe('Hello, Bob!');
    // A thread of this process that begins after the package has gone may say so for itself.
    const isOfWorkers = (printed: string) => !printed.startsWith('holdfast: heartbeat: ');
    const [line, ...others] = app.stderr().trim().split('\n').filter(isOfWorkers);
    expect(others).toEqual([]);
    expect(line).toMatch(
      /^holdfast: WARNING: tasks run in this process and end with it for now: the worker ended \(code/,
    );
    expect(line).toMatch(/its log \S+worker-\S+\.log says: Node [\d.]+ has no SQLite/);
    expect(line).toMatch(/a worker is this program run again: it must get to server\.start\(\)/);
    // One that is started again has its place until it has ended as well.
    const kinds = async () => (await app.store.workers.list()).map(({ kind }) => kind).join();
    await until(async () => (await kinds()) === 'inline', {
      what: 'the end of workers that cannot work',
      timeoutMs: 60_000,
    });
  });
});
