/** The packed package in projects with other versions of zod: they compile, in a bounded time, and run. */
import { copyFile, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../pins/run-command.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const INSTALL_MS = 300_000;
/** A compiler that compares the types of two versions takes minutes and gigabytes; a whole project takes seconds. */
const COMPILE_SECONDS = 120;

const OPTIONS = {
  ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable'], strict: true, outDir: 'out' },
  ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules', '@types')] },
};

let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-zod-'));
  const pack = ['npm', 'pack', '--ignore-scripts', '--pack-destination', dir];
  expect(await runCommand(pack, { cwd: ROOT })).toMatchObject({ code: 0 });
}, INSTALL_MS);

afterAll(() => rm(dir, { recursive: true, force: true }));

/** A project of a user with the package and a version of zod. */
async function install(zod: string): Promise<string> {
  const project = await mkdtemp(join(dir, 'project-'));
  const [tarball = ''] = (await readdir(dir)).filter((name) => name.endsWith('.tgz'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }));
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['server.ts'] }));
  await copyFile(new URL('zod-project.ts', import.meta.url), join(project, 'server.ts'));
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
  const npm = ['npm', 'install', ...flags, join(dir, tarball), `zod@${zod}`];
  expect(await runCommand(npm, { cwd: project })).toMatchObject({ code: 0 });
  return project;
}

async function expectToWork(project: string): Promise<void> {
  const compile = ['timeout', String(COMPILE_SECONDS), process.execPath, TSC, '-p', project];
  expect(await runCommand(compile)).toEqual({ code: 0, output: '' });
  const { code, output } = await runCommand([process.execPath, join(project, 'out', 'server.js')], { cwd: project });
  expect(code, output).toBe(0);
  expect(JSON.parse(output)).toMatchObject({
    refused: expect.stringContaining('the arguments do not fit its input'),
    unfit: 'ANSWER_INVALID',
    outcomes: [
      { kind: 'result', value: '1 pages of 2026' },
      { kind: 'result', value: true },
    ],
    request: { schema: { properties: { sure: { type: 'boolean', description: 'really' } } } },
  });
}

describe('a project', () => {
  it('[FIRST-322] with the oldest zod 4 compiles and runs, also beside a newer one', {
    timeout: INSTALL_MS,
  }, async () => {
    const project = await install('4.0.0');
    await expectToWork(project);
    const newer = join(project, 'node_modules', '@modelcontextprotocol', 'server', 'node_modules', 'zod');
    await cp(newer, join(project, 'node_modules', 'holdfast', 'node_modules', 'zod'), { recursive: true });
    await expectToWork(project);
  });

  it('[FIRST-322] with the newest zod 4 compiles and runs', { timeout: INSTALL_MS }, async () => {
    await expectToWork(await install('4'));
  });
});
