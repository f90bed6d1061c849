// @ts-check
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { inRoot } from '../root.mjs';
import { bin, run, WITHOUT_COLLECTING } from '../run.mjs';

const TREE = '.cache/source';
const PARTS = [
  'src',
  'web',
  'test',
  'bench',
  'examples',
  'scripts',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];

/**
 * Checks all types with the source instead of the build.
 *
 * Some tests import files of `dist`. They are checked through symlinks in a folder that has no `dist`, so that the compiler
 * resolves these imports to the sources (`rootDirs`) instead of a build that may be outdated. A second run is incremental.
 *
 * @param {(part: Buffer) => void} [onOutput]
 */
export async function checkSourceTypes(onOutput) {
  await rm(inRoot(TREE), { recursive: true, force: true });
  await mkdir(inRoot(TREE), { recursive: true });
  for (const part of PARTS) await symlink(inRoot(part), inRoot(TREE, part));
  const memory = ['--incremental', '--tsBuildInfoFile', '.cache/source.tsbuildinfo'];
  const args = ['-p', `${TREE}/test/tsconfig.source.json`, '--checkers', '1', '--pretty', 'false', ...memory];
  const options = {
    env: WITHOUT_COLLECTING,
    ...(onOutput && {
      onOutput: (/** @type {Buffer} */ part) => onOutput(Buffer.from(part.toString().replaceAll(`${TREE}/`, ''))),
    }),
  };
  return (await run(bin('tsc'), args, options)) || checkPageTypes(options);
}

/**
 * Checks the page's types separately, if there is a page. @param {{ env: NodeJS.ProcessEnv, onOutput?: (part: Buffer) => void
 * }} options
 */
async function checkPageTypes(options) {
  return existsSync(inRoot('web')) ? run(bin('tsc'), ['-p', 'web'], options) : 0;
}
