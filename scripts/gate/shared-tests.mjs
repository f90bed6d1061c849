// @ts-check
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from '../root.mjs';

const IMPORT = /^import \{ share \} from '(?:\.\.\/)+share\.ts';$/m;

/** Tests of which `npm test` runs a part of the cases and `npm run test:real` all of them: those that import `share`. */
export function listSharedTests() {
  const all = readdirSync(inRoot('test'), { recursive: true, encoding: 'utf8' });
  const tests = all.filter((file) => file.endsWith('.test.ts')).map((file) => join('test', file));
  return tests.filter((file) => IMPORT.test(readFileSync(inRoot(file), 'utf8')));
}
