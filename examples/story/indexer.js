// @ts-check
/** Counts the words of every source file in a folder and prints one JSON line per file. A child of `index_files`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const MAX_FILES = 20;
const PACE_MS = 70;

const [folder = '.'] = process.argv.slice(2);
const names = await readdir(folder, { recursive: true });
const files = names.filter((name) => name.endsWith('.js')).slice(0, MAX_FILES);

for (const [index, file] of files.entries()) {
  const text = await readFile(join(folder, file), 'utf8');
  await pause(PACE_MS);
  console.log(JSON.stringify({ file, words: text.split(/\s+/).length, done: (index + 1) / files.length }));
}
