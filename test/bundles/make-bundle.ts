import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';
import { bin } from '../../scripts/run.mjs';
import { shippedProgramPath } from '../programs/program-path.js';

/** How a program is made one file. */
export const BUNDLERS = {
  'esbuild to ESM': (entry: string, directory: string) =>
    runEsbuild(entry, join(directory, 'app.mjs'), ['--format=esm']),
  'esbuild to CommonJS, minified': (entry: string, directory: string) =>
    runEsbuild(entry, join(directory, 'app.cjs'), ['--format=cjs', '--minify']),
  'rolldown to several chunks': async (entry: string, directory: string) => {
    const output = { dir: directory, entryFileNames: 'app.mjs', chunkFileNames: 'chunks/[name].mjs' };
    await rolldown({ input: entry, platform: 'node', output });
    return join(directory, 'app.mjs');
  },
} as const;

export type Bundler = keyof typeof BUNDLERS;

/** Bundles the program into a directory of its own, outside of the project: nothing else is there. */
export async function makeBundle(bundler: Bundler): Promise<{ readonly path: string; readonly directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
  onTestFinished(() => rm(directory, { recursive: true, maxRetries: 20, retryDelay: 100 }));
  return { path: await BUNDLERS[bundler](shippedProgramPath('bundled-app.js'), directory), directory };
}

/** As a program: its API leaves a process behind. */
async function runEsbuild(entry: string, out: string, flags: readonly string[]): Promise<string> {
  const fixed = ['--bundle', '--platform=node', '--log-level=error'];
  await promisify(execFile)(bin('esbuild'), [entry, `--outfile=${out}`, ...fixed, ...flags]);
  return out;
}
