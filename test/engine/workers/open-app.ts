import { cp, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { shippedProgramPath } from '../../programs/program-path.js';
import { type Program, type ProgramOptions, type Site, toProgram } from './start-program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A program with a Holdfast of its own on disk, which can be changed while it runs. */
export interface App {
  readonly folder: string;
  /** Where Holdfast lies. */
  readonly holdfast: string;
  start(options?: ProgramOptions): Program;
  /** Takes Holdfast and what it stands on off the disk. */
  remove(): Promise<void>;
  putBack(): Promise<void>;
}

/** Installs Holdfast and a program below the folder of a site: `workers/engine-program.js`, and `imported.js` above it. */
export async function openApp(site: Site): Promise<App> {
  const folder = join(site.folder, 'app');
  const modules = join(folder, 'node_modules');
  const holdfast = join(modules, 'holdfast');
  await mkdir(holdfast, { recursive: true });
  const isCode = (path: string) => !path.endsWith('.map') && !path.endsWith('.d.ts');
  await cp(join(root, 'dist'), join(holdfast, 'dist'), { recursive: true, filter: isCode });
  await cp(join(root, 'package.json'), join(holdfast, 'package.json'));
  for (const name of ['@modelcontextprotocol', '@photostructure', 'zod'])
    await symlink(join(root, 'node_modules', name), join(modules, name));
  const entry = join(folder, 'main.js');
  await writeFile(entry, `import './imported.js';\nimport './workers/engine-program.js';\n`);
  await writeFile(join(folder, 'imported.js'), '');
  for (const name of ['workers/engine-program.js', 'stores/own-store.js']) {
    await mkdir(join(folder, dirname(name)));
    await cp(shippedProgramPath(basename(name)), join(folder, name));
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const away = join(folder, 'away');
  return {
    folder,
    holdfast,
    start(options = {}) {
      const program = toProgram([entry, site.folder, JSON.stringify(options)]);
      onTestFinished(() => program.kill());
      return program;
    },
    remove: () => rename(modules, away),
    async putBack() {
      await rm(modules, { recursive: true, force: true });
      await rename(away, modules);
    },
  };
}
