// @ts-check
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Ids count only at the start of a literal, where titles have them; prose and code that mention one prove nothing.
const TITLE_IDS = /['"`]((?:\[[A-Z][A-Z\d]*-\d+\] ?)+)/g;

/**
 * Which tests prove which rows.
 *
 * @typedef {object} Coverage
 * @property {readonly import('./requirements.js').Requirement[]} unproven rows without a test
 * @property {readonly string[]} unknown ids that tests name and no row has, with the file
 * @property {readonly string[]} duplicated ids that several rows have
 * @property {readonly string[]} missing proofs named by a row that are not where it says
 */

/**
 * @param {readonly import('./requirements.js').Requirement[]} rows
 * @param {readonly { file: string, text: string }[]} tests
 * @param {(file: string) => Promise<string>} read
 * @returns {Promise<Coverage>}
 */
export async function toCoverage(rows, tests, read = readSource) {
  const known = new Set(rows.map(({ id }) => id));
  const named = tests.flatMap(({ file, text }) => findIds(text).map((id) => ({ id, file })));
  const proven = new Set(named.map(({ id }) => id));
  return {
    unproven: rows.filter(({ id, test }) => test === undefined && !proven.has(id)),
    unknown: named.filter(({ id }) => !known.has(id)).map(({ id, file }) => `${id} in ${file}`),
    duplicated: rows.map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index),
    missing: await findMissing(rows, read),
  };
}

/** Every test file of the project, but the gate's own. */
export async function readTests() {
  const entries = await readdir(join(root, 'test'), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(join('test', 'requirements')));
  return Promise.all(files.map(async (file) => ({ file, text: await readSource(file) })));
}

/** @param {string} text */
function findIds(text) {
  return [...text.matchAll(TITLE_IDS)].flatMap(([, ids = '']) => ids.match(/[A-Z][A-Z\d]*-\d+/g) ?? []);
}

/**
 * @param {readonly import('./requirements.js').Requirement[]} rows
 * @param {(file: string) => Promise<string>} read
 */
async function findMissing(rows, read) {
  const missing = [];
  for (const { id, test } of rows) {
    if (test === undefined) continue;
    const text = await read(test.file).catch(() => '');
    if (!['"', "'", '`'].some((quote) => text.includes(quote + test.title + quote))) {
      missing.push(`${id}: "${test.title}" in ${test.file}`);
    }
  }
  return missing;
}

/** @param {string} file */
function readSource(file) {
  return readFile(join(root, file), 'utf8');
}
