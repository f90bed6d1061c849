/** What counts as another build of a program. */
import { chmod, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { toBuild } from '../../../dist/engine/program/build.js';

const ENTRY = `
import './plain.js';
import { a } from "./lib/named.js";
export * from './again.mjs';
const later = () => import('./later');
const old = require('./old.cjs');
new Worker(new URL('./thread.js', import.meta.url));
readFileSync(new URL('./data.db', import.meta.url));
import 'some-package';
`;

const FILES = {
  'main.js': ENTRY,
  'plain.js': '',
  'lib/named.js': `export { b } from '../deep.js';`,
  'deep.js': '1',
  'again.mjs': '',
  'later.ts': '',
  'old.cjs': '',
  'thread.js': '',
  'data.db': 'rows',
  'unused.js': '',
  'node_modules/.package-lock.json': '{}',
  'node_modules/some-package/index.js': '',
  'node_modules/holdfast/package.json': '{ "name": "holdfast", "version": "1.0.0" }',
  'node_modules/holdfast/dist/index.js': '',
};

async function openProgram() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-build-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(FILES)) await write(name, text);
  const places = { entry: join(folder, 'main.js'), holdfast: join(folder, 'node_modules/holdfast') };
  return { folder, write, build: () => toBuild(places) };
}

it.each([
  'main.js',
  'plain.js',
  'lib/named.js',
  'deep.js',
  'again.mjs',
  'later.ts',
  'old.cjs',
  'thread.js',
  'node_modules/.package-lock.json',
  'node_modules/holdfast/package.json',
  'node_modules/holdfast/dist/index.js',
])('[BAD-180] another %s is another build, and a later one', async (name) => {
  const { write, build } = await openProgram();
  const before = build();
  await write(name, `${FILES[name as keyof typeof FILES]} `);
  const after = build();
  expect(after.id).not.toBe(before.id);
  expect(after.at).toBeGreaterThanOrEqual(before.at);
});

it('[BAD-181] what is not loaded, or only touched, makes no other build', async () => {
  const { folder, write, build } = await openProgram();
  const before = build().id;
  await write('unused.js', 'other');
  await write('data.db', 'more rows');
  await write('node_modules/some-package/index.js', 'other');
  await utimes(join(folder, 'deep.js'), 1, 1);
  await chmod(join(folder, 'plain.js'), 0o600);
  expect(build().id).toBe(before);
});

it('[BAD-182] a release that is switched back by a link is a later build again', async () => {
  const { folder } = await openProgram();
  const link = join(folder, 'current');
  const release = async (name: string) => {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'main.js'), name);
  };
  await release('one');
  await release('two');
  const switchTo = async (name: string) => {
    await symlink(join(folder, name), `${link}.next`);
    await rename(`${link}.next`, link);
    return toBuild({ entry: join(link, 'main.js'), holdfast: undefined });
  };
  const first = await switchTo('one');
  const second = await switchTo('two');
  const back = await switchTo('one');
  expect([back.id === first.id, second.id === first.id]).toEqual([true, false]);
  expect(back.at).toBeGreaterThanOrEqual(second.at);
});

it('[BAD-181] an entry that is gone, a directory or a circle of imports is no failure', async () => {
  const { folder, write } = await openProgram();
  await write('circle.js', `import './circle.js'; import './missing.js'; import './lib/';`);
  const of = (entry: string | undefined) => toBuild({ entry, holdfast: join(folder, 'nowhere') });
  expect([of(undefined), of(join(folder, 'missing.js'))]).toEqual([
    { id: 'unknown', at: 0 },
    { id: 'unknown', at: 0 },
  ]);
  expect(of(join(folder, 'circle')).id).toMatch(/^.{22}$/);
});
