/** The bundle on which the programs of the tests run. */
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { bundlePrograms, toBundleName } from '../../scripts/build/program-bundle.mjs';
import { readManifest, root } from '../../scripts/root.mjs';
import { KEPT_CERTIFICATES, toFetchEnv } from '../../scripts/run.mjs';
import { setup as spareCertificates } from '../spare-certificates.ts';
import { runCommand } from './run-command.ts';

let bundle = '';

beforeAll(async () => {
  bundle = await bundlePrograms();
});

/** Files of the package that are loaded at once with one of them. */
function listLoaded(entry: string): Set<string> {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    // A module of the bundle loads the script beside it, which requires what it needs.
    const script = file.replace(/\.js$/, '.cjs');
    const text = readFileSync(existsSync(script) ? script : file, 'utf8');
    const imports = text.matchAll(/\b(?:from|import|require\()\s*(["'])(\.{1,2}\/[^"'\n]+\.js)\1/g);
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
  const files = (await readdir(bundle, { recursive: true })).filter((file) => /\.c?js$/.test(file));
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

/** Says whether V8 takes what was compiled before: node -e READ PATH. */
const READ = `
const { readFileSync } = require('node:fs');
const path = process.argv[1];
const source = readFileSync(path, 'latin1');
const script = new (require('node:vm').Script)(source, { cachedData: readFileSync(path + '.compiled') });
console.log(script.cachedDataRejected === false ? 'taken' : 'refused');
`;

it('[ROOMS-333] what a process has compiled of it, the next one takes', async () => {
  const files = await readdir(join(bundle, 'dist'), { recursive: true });
  const compiled = files.filter((file) => file.endsWith('.cjs.compiled'));
  // What the programs of tests share, and what the commands do.
  for (const room of ['chunks', 'programs']) {
    const [shared = ''] = compiled.filter((file) => file.startsWith(join(room, 'shared')));
    const path = join(bundle, 'dist', shared.replace(/\.compiled$/, ''));
    const { output } = await runCommand([process.execPath, '-e', READ, path]);
    expect(output.trim(), room).toBe('taken');
  }
  // Doors, engine, store, server, host and worker, all of which the warm-up uses.
  expect(compiled.length).toBeGreaterThan(20);
});

it('[ROOMS-334] programs of tests read no file of certificates, and what fetches packages does', async () => {
  const [before, kept] = [process.env.NODE_EXTRA_CA_CERTS, process.env[KEPT_CERTIFICATES]];
  onTestFinished(() => {
    if (before !== undefined) process.env.NODE_EXTRA_CA_CERTS = before;
    if (kept === undefined) delete process.env[KEPT_CERTIFICATES];
    else process.env[KEPT_CERTIFICATES] = kept;
  });
  process.env.NODE_EXTRA_CA_CERTS = 'certificates.pem';
  spareCertificates();
  expect(process.env.NODE_EXTRA_CA_CERTS).toBeUndefined();
  expect(toFetchEnv().NODE_EXTRA_CA_CERTS).toBe('certificates.pem');
});
