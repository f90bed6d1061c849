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
 * Checks the types of everything with the source in the place of the build.
 *
 * Some tests import files of `dist`. They are seen through links from a place that has none, so that the compiler goes on
 * to the sources (`rootDirs`) instead of believing a build that may be old. The second run looks only at what has changed.
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

/** The page by itself, where there is one. @param {{ env: NodeJS.ProcessEnv, onOutput?: (part: Buffer) => void }} options */
async function checkPageTypes(options) {
  return existsSync(inRoot('web')) ? run(bin('tsc'), ['-p', 'web'], options) : 0;
}
