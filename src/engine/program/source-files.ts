/**
 * Finds the program's own files that are loaded with its entry: those that it names by relative paths in imports,
 * `require` and `new URL`, and those that these name in turn. Packages are not followed.
 *
 * Found by searching the text, without a parser: a name in a comment may add an existing file, which only costs reading
 * it. Names that are built at run time are not found.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export interface SourceFile {
  readonly path: string;
  readonly text: Buffer;
  /** Epoch ms at which it got its present state here (ctime); copying and unpacking may set the other times to anything. */
  readonly changedAt: number;
}

// Limits for what every start of a program costs: a few hundredths of a second at most.
const MAX_FILES = 1000;
const MAX_BYTES = 32_000_000;

/** Larger files are bundles, which contain their modules, and are not searched. */
const MAX_SEARCHED_BYTES = 1_000_000;

const NAMED = /\b(from|import|require|URL)\s*\(?\s*["'](\.{1,2}\/[^"'?#\n]+)/g;
const CODE = /\.[cm]?[jt]sx?$/;
// A program that changes a file which it only reads or writes is still the same program.
const LOADED = /(?:\.[cm]?[jt]sx?|\.json|\.node|\.wasm|\/[^./]+)$/;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '/index.js', '/index.ts'];

/**
 * Returns the entry and the files loaded with it, each once, in the order they are named, without those that `isLeftOut`
 * excludes.
 */
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

/** Returns the file that a name resolves to, unless it was returned before. */
function findSource(named: string, seen: Set<string>): string | undefined {
  const path = orNothing(() => resolveFile(named));
  if (path === undefined || seen.has(path)) return undefined;
  seen.add(path);
  return path;
}

function readSource(path: string): SourceFile | undefined {
  return orNothing(() => ({ path, text: readFileSync(path), changedAt: Math.floor(statSync(path).ctimeMs) }));
}

/** A file that was removed a moment ago, or may not be read, is not loaded either. */
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

/** Finds the file that a path means: extensions may be omitted, and TypeScript is named by its output (`.js`). */
function resolveFile(path: string): string | undefined {
  const asTypeScript = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  const candidates = [...ENDINGS.map((ending) => path + ending), asTypeScript];
  const found = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isFile());
  return found === undefined ? undefined : realpathSync(found);
}
