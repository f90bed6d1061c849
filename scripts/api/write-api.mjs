// @ts-check
/** Writes the API reference into `docs/api`, from the declarations in `dist`. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { inRoot } from '../root.mjs';
import { readDoors } from './declarations.mjs';
import { findUndocumented, toPages } from './pages.mjs';

const doors = readDoors();
const silent = findUndocumented(doors);
for (const name of silent) console.error(`${name} has no sentence`);
const folder = inRoot('docs', 'api');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [file, page] of toPages(doors)) await writeFile(inRoot('docs', 'api', file), page);
process.exitCode = silent.length === 0 ? 0 : 1;
