// @ts-check
/**
 * Determines which tests are pure: `npm run check` runs these, from source.
 *
 * A test is pure when nothing that it imports, directly or through files of `src`, `test` and `scripts`, is the built package
 * or a module that can start a process, a thread, a server or a database. There is no list to maintain: a test's imports
 * decide.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { inRoot, root } from '../root.mjs';
import { listImports } from './layers.mjs';

const BUILT = /^(holdfast(\/|$)|\.cache\/|dist\/|node_modules\/)/;
const STARTS_SOMETHING =
  /^(node:(child_process|cluster|dgram|http|http2|https|net|repl|sqlite|tls|worker_threads)|@photostructure\/sqlite|vite|rolldown)$/;

/** @typedef {Map<string, string | undefined>} Judged for each file, what makes it impure */

/** Paths of the pure tests, from the root of the repository. */
export function listPureTests() {
  /** @type {Judged} */
  const judged = new Map();
  return listTests().filter((test) => findImpurity(test, judged) === undefined);
}

/**
 * The import that makes a file impure, as the path of imports to it; `undefined` if the file is pure.
 *
 * @param {string} file path from the root of the repository
 * @param {Judged} [judged] results of earlier calls
 * @returns {string | undefined}
 */
export function findImpurity(file, judged = new Map()) {
  if (judged.has(file)) return judged.get(file);
  // Set before its imports are followed, so that a cycle ends.
  judged.set(file, undefined);
  for (const specifier of listUses(readFileSync(inRoot(file), 'utf8'))) {
    const why = judge(file, specifier, judged);
    if (why === undefined) continue;
    judged.set(file, `${file} → ${why}`);
    break;
  }
  return judged.get(file);
}

/** @param {string} file @param {string} specifier @param {Judged} judged */
function judge(file, specifier, judged) {
  const target = specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : specifier;
  if (BUILT.test(target) || STARTS_SOMETHING.test(target)) return target;
  return specifier.startsWith('.') && existsSync(inRoot(target)) && /\.(ts|js|mjs)$/.test(target)
    ? findImpurity(target, judged)
    : undefined;
}

/** What a file imports at run time; type imports do not count. @param {string} text */
function listUses(text) {
  // A computed import may load anything.
  const computed = /\bimport\((?!')/.test(text) ? ['dist/'] : [];
  const required = [...text.matchAll(/require\w*(?:\([^)]*\))?\('([^']+)'\)/gi)].map(([, name = '']) => name);
  return [...listImports(text.replaceAll(/^(?:import|export) type [^;]*;/gm, '')), ...required, ...computed];
}

function listTests() {
  const all = readdirSync(inRoot('test'), { recursive: true, encoding: 'utf8' });
  return all.filter((file) => file.endsWith('.test.ts') && !file.startsWith('real')).map((file) => join('test', file));
}
