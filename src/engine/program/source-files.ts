/**
 * Which files of a program's own are loaded with its entry: what it names by relative paths in imports, `require` and
 * `new URL`, and what those name in turn. Packages are not followed.
 *
 * Found by looking at the text, without a parser: a name in a comment may add a file that is there, and costs nothing
 * but a look at it. Names that are put together at run time are not found.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export interface SourceFile {
  readonly path: string;
  readonly text: Buffer;
  /** Epoch ms at which it came to be here as it is; copying and unpacking may set the other times to anything. */
  readonly changedAt: number;
}

// Bound what every start of a program costs: a few hundredths of a second for the largest.
const MAX_FILES = 1000;
const MAX_BYTES = 32_000_000;

/** Larger files are bundles, which carry their modules within. */
const MAX_SEARCHED_BYTES = 1_000_000;

const NAMED = /\b(from|import|require|URL)\s*\(?\s*["'](\.{1,2}\/[^"'?#\n]+)/g;
const CODE = /\.[cm]?[jt]sx?$/;
// What a program names only to read or write it changes without being another program.
const LOADED = /(?:\.[cm]?[jt]sx?|\.json|\.node|\.wasm|\/[^./]+)$/;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '/index.js', '/index.ts'];

/** The entry and what is loaded with it, each once, in the order in which they are named; without what is left out. */
export function readSourceFiles(entry: string, isLeftOut: (path: string) => boolean): SourceFile[] {
  const files: SourceFile[] = [];
  const waiting = [entry];
  const seen = new Set<string>();
  let bytes = 0;
  for (let next = waiting.shift(); next !== undefined && files.length < MAX_FILES; next = waiting.shift()) {
    const path = findSource(next, seen);
    const file = path === undefined || (files.length > 0 && isLeftOut(path)) ? undefined : readSource(path);
    if (file === undefined) continue;
    bytes += file.text.length;
    if (bytes > MAX_BYTES) break;
    files.push(file);
    waiting.push(...findNamed(file));
  }
  return files;
}

/** The file that is named, unless it was named before. */
function findSource(named: string, seen: Set<string>): string | undefined {
  const path = orNothing(() => resolveFile(named));
  if (path === undefined || seen.has(path)) return undefined;
  seen.add(path);
  return path;
}

function readSource(path: string): SourceFile | undefined {
  return orNothing(() => ({ path, text: readFileSync(path), changedAt: Math.floor(statSync(path).ctimeMs) }));
}

/** What was removed a moment ago, or may not be read, is not loaded either. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function findNamed({ path, text }: SourceFile): string[] {
  if (!CODE.test(path) || text.length > MAX_SEARCHED_BYTES) return [];
  const directory = dirname(path);
  return [...text.toString('utf8').matchAll(NAMED)]
    .filter(([, how, name = '']) => (how === 'URL' ? CODE : LOADED).test(name))
    .map(([, , name = '']) => resolve(directory, name));
}

/** The file that is meant: extensions may be left out, and TypeScript is named as what it becomes. */
function resolveFile(path: string): string | undefined {
  const asTypeScript = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  const candidates = [...ENDINGS.map((ending) => path + ending), asTypeScript];
  const found = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
  return found === undefined ? undefined : realpathSync(found);
}
