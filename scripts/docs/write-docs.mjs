// @ts-check
/** Writes docs/cli.md and docs/errors.md from the build. */
import { writeFile } from 'node:fs/promises';
import { inRoot } from '../root.mjs';
import { readPages } from './read-pages.mjs';

for (const [file, page] of await readPages()) await writeFile(inRoot('docs', file), page);
