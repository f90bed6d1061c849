import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { inRoot } from '../../scripts/root.mjs';
import { endWorkers } from '../../scripts/servers/demo-server.mjs';
import { runCli } from './run-cli.ts';

const exec = promisify(execFile);
// What `npm install` would fetch.
const PACKAGES = ['zod', 'typescript', '@types/node', 'undici-types'];

let root: string;
let folder: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'holdfast-init-'));
  folder = join(root, 'My Reports');
  return () => rm(root, { recursive: true, force: true });
});

async function link(): Promise<void> {
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@types'), { recursive: true });
  for (const name of PACKAGES) await symlink(inRoot('node_modules', name), join(modules, name));
  await symlink(inRoot('.'), join(modules, 'holdfast'));
}

it('[FIRST-418] init makes a server that compiles, whose test passes and whose tool can be called', async () => {
  const made = await runCli(['init', folder]);
  expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('npm install') });
  await link();
  const env = { ...process.env, HOLDFAST_DIR: join(root, 'state'), NODE_NO_WARNINGS: '1' };
  await exec(process.execPath, [inRoot('node_modules', 'typescript', 'bin', 'tsc')], { cwd: folder });
  const call = [
    'call',
    'render_report',
    '{"pages":1}',
    '--server',
    'my-reports',
    '--trust',
    '--pass-env=HOLDFAST_TEST_FILE',
  ];
  onTestFinished(() => endWorkers(join(root, 'state', 'holdfast', 'my-reports', 'tasks.db')));
  const called = await runCli(call, env, folder);
  expect(called).toMatchObject({ code: 0, stdout: 'rendered 1 pages\n' });
  const { stdout } = await exec(process.execPath, ['--test', 'dist/test/server.test.js'], { cwd: folder, env });
  expect(stdout).toMatch(/pass 1\n/);
  const listed = await runCli(['tools', 'my-reports', '--pass-env=HOLDFAST_TEST_FILE'], env, folder);
  expect(listed.stdout).toContain('render_report (pages?: integer)\n    Renders a report, page by page\n');
  const servers = await runCli(['tools', '--json'], env, folder);
  expect(JSON.parse(servers.stdout)).toMatchObject({ name: 'my-reports' });
});

it('[FIRST-418] init writes nothing over, and names what is in the way', async () => {
  const before = await readFile(join(folder, 'package.json'), 'utf8');
  expect(JSON.parse(before)).toMatchObject({ name: 'my-reports', type: 'module' });
  const again = await runCli(['init', folder]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('package.json') });
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe(before);
  const odd = await runCli(['init', join(root, 'x'), '--name', "a'b"]);
  expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('--name NAME') });
});
