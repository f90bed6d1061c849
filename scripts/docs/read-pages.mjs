// @ts-check
import { pathToFileURL } from 'node:url';
import { inRoot } from '../root.mjs';
import { toCliPage, toErrorsPage } from './pages.mjs';

/** Generates the pages, by their names in `docs`, from the built program. */
export async function readPages() {
  /** @type {typeof import('../../src/cli/commands/commands.ts')} */
  const { loadCommands } = await load('dist/cli/commands/commands.js');
  /** @type {typeof import('../../src/errors.ts')} */
  const { TaskError, taskErrorCodes } = await load('dist/errors.js');
  const errors = taskErrorCodes.map((code) => ({ code, traits: new TaskError(code, '').traits }));
  return new Map([
    ['cli.md', toCliPage(await loadCommands(undefined))],
    ['errors.md', toErrorsPage(errors)],
  ]);
}

/** @param {string} path */
function load(path) {
  return import(pathToFileURL(inRoot(path)).href);
}
