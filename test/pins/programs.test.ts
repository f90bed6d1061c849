/** What is started as a process of its own, as it is shipped: in few files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { PROGRAM_CODE, PROGRAMS } from '../../scripts/build/build-programs.mjs';
import { inRoot } from '../../scripts/root.mjs';

const code = readdirSync(inRoot('dist', PROGRAM_CODE)).filter((name) => name.endsWith('.js'));
const read = (path: string) => readFileSync(path, 'utf8');

/** Files that are loaded at once with one of them. */
function listLoaded(entry: string): string[] {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const [, name = ''] of read(file).matchAll(/^(?:import|export)\b[^;"]*"(\.{1,2}\/[^"]+\.js)";/gm))
      loaded.add(join(dirname(file), name));
  }
  return [...loaded];
}

it.each(PROGRAMS)(
  '[GATE-420] %s loads few files, and none of a package, before it knows what it is to do',
  (program) => {
    const loaded = listLoaded(inRoot('dist', program));
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.length).toBeLessThan(10);
    expect(loaded.filter((file) => read(file).includes('// node_modules/'))).toEqual([]);
  },
);

it('[GATE-420] a server behind a gateway is started before any package is loaded', () => {
  const [starts = ''] = code.filter((name) => name.startsWith('start-upstream-'));
  const loaded = listLoaded(inRoot('dist', PROGRAM_CODE, starts));
  expect(loaded.filter((file) => read(file).includes('// node_modules/'))).toEqual([]);
});

it('[GATE-421] modules find what lies beside them in the package', () => {
  const named = code.flatMap((name) => {
    const file = inRoot('dist', PROGRAM_CODE, name);
    const places = read(file).matchAll(/\bnew URL\("([^"]+)", new URL\("([^"]+)", import\.meta\.url\)\.href\)/g);
    return [...places].map(([, beside = '', place = '']) => join(dirname(file), dirname(place), beside));
  });
  expect(named.map((path) => relative(inRoot('dist'), path))).toContain('host/keeper/keeper-process.js');
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it('[GATE-421] the licences of the packages that are inside are told', () => {
  const licences = read(inRoot('dist', PROGRAM_CODE, 'licenses.txt'));
  const inside = code.flatMap((name) => [
    ...read(inRoot('dist', PROGRAM_CODE, name)).matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/\s]+)/gm),
  ]);
  const packages = [...new Set(inside.map(([, name = '']) => name))];
  expect(packages).toContain('zod');
  expect(packages.filter((name) => !licences.includes(name))).toEqual([]);
});
