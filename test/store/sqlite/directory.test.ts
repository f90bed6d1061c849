import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resolveStoreDirectory } from '../../../src/store/sqlite/directory.ts';

const inDir = (name: string) => resolveStoreDirectory(name, { HOLDFAST_DIR: '/base' });

it('[STORE-23] prefers HOLDFAST_DIR to the state directory of the user', () => {
  const env = { HOLDFAST_DIR: '/chosen', XDG_STATE_HOME: '/state', HOME: '/home/ada' };
  expect(resolveStoreDirectory('reports', env)).toBe(join('/chosen', 'holdfast', 'reports'));
  expect(resolveStoreDirectory('reports', { ...env, HOLDFAST_DIR: '' })).toBe(join('/state', 'holdfast', 'reports'));
});

it.runIf(process.platform === 'linux')('falls back to ~/.local/state, never to the working directory', () => {
  const fallback = '/home/ada/.local/state/holdfast/reports';
  expect(resolveStoreDirectory('reports', { HOME: '/home/ada' })).toBe(fallback);
  expect(resolveStoreDirectory('reports', { HOME: '/home/ada', XDG_STATE_HOME: 'relative' })).toBe(fallback);
});

it('keeps every name inside the directory, and different names apart', () => {
  const names = ['reports', 'Reports', 'a/b', 'a%2fb', 'a_b', '..', '.', '', '%', 'x\\y', 'ä', 'a b', '.hidden', '\0'];
  const folders = names.map((name) => inDir(name));
  expect(new Set(folders).size).toBe(names.length);
  for (const folder of folders) expect(folder).toMatch(/^\/base\/holdfast\/[A-Za-z0-9%_-][A-Za-z0-9%._-]*$/);
});

it('shortens a very long name without mixing it up with another', () => {
  const [one, other] = ['a', 'b'].map((end) => inDir(`${'long'.repeat(100)}${end}`));
  expect(one).not.toBe(other);
  expect(one?.length).toBeLessThan(160);
});
