/** The bundle on which the programs of the tests run. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { bundlePrograms, toBundleName } from '../../scripts/build/program-bundle.mjs';
import { readManifest, root } from '../../scripts/root.mjs';
import { runCommand } from './run-command.ts';

let bundle = '';

beforeAll(async () => {
  bundle = await bundlePrograms();
});

/** Files of the package that are loaded at once with one of them. */
function listLoaded(entry: string): Set<string> {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*(["'])(\.{1,2}\/[^"'\n]+\.js)\1/g);
    for (const [, , name = ''] of imports) loaded.add(join(dirname(file), name));
  }
  return loaded;
}

it('[ROOMS-330] another content, name or number of files makes another bundle', () => {
  const names = [{}, { a: '1' }, { a: '2' }, { b: '1' }, { a: '1', b: '1' }].map((files) =>
    toBundleName(new Map(Object.entries(files))),
  );
  expect(new Set(names).size).toBe(names.length);
  expect(toBundleName(new Map([['a', '1']]))).toBe(names[1]);
});

it('[ROOMS-330] a run of the tests uses the bundle of this build', () => {
  expect([bundle, root]).toContain(process.env.HOLDFAST_TEST_BUNDLE);
});

it('[ROOMS-330] it takes fewer files to load a door', () => {
  const count = (place: string, door: string) => listLoaded(join(place, door)).size;
  for (const door of ['dist/index.js', 'dist/host/index.js', 'dist/gateway/index.js'])
    expect(count(bundle, door), door).toBeLessThan(count(root, door) / 4);
});

it('[ROOMS-331] what its modules name beside themselves is there', async () => {
  const files = (await readdir(bundle, { recursive: true })).filter((file) => file.endsWith('.js'));
  const named = files.flatMap((file) => [
    ...readFileSync(join(bundle, file), 'utf8').matchAll(/\bnew URL\([`"']([^`"']+)[`"'],\s*[`"'](file:[^`"']+)/g),
  ]);
  const paths = named.map(([, name = '', base = '']) => relative(bundle, fileURLToPath(new URL(name, base))));
  expect(paths).toContain('dist/host/keeper/keeper-process.js');
  expect(paths.filter((path) => !existsSync(join(bundle, path)))).toEqual([]);
});

it('[ROOMS-331] its command line finds the manifest', async () => {
  const { version } = readManifest();
  const { output } = await runCommand([process.execPath, join(bundle, 'dist/cli/main.js'), '--version']);
  expect(output.trim()).toBe(version);
});
