/**
 * Decides which files are monitored.
 *
 * The nearest entry of `include_paths` or `exclude_paths` on the path decides; without one, a file is excluded. An included file
 * can still be excluded by the name of any directory above it, or by a pattern for its path or name; the name of its own
 * directory, or another pattern, can include it again.
 */
import { basename, dirname } from 'node:path';
import type { FilterConfig } from './config.ts';
import { createGlob, type Glob } from './glob.ts';
import { toCodePoints } from './glob-tokens.ts';

export interface Decision {
  /** `+` includes the file, `-` excludes it. */
  readonly symbol: '+' | '-';
  readonly message: string;
}

export interface Judgement {
  readonly isMonitored: boolean;
  /** The decision that counted. */
  readonly reason: string;
  readonly decisions: readonly Decision[];
}

export interface Filter {
  /** Prepares the rules for the files of one directory: most rules depend on nothing else. */
  forDirectory(dir: string): (name: string) => boolean;
  explain(path: string): Judgement;
}

/** Creates a filter; `own` are the monitor's own files, which are never monitored. */
export function createFilter(config: FilterConfig, own: readonly string[] = []): Filter {
  const rules = toRules(config, own);
  return {
    forDirectory(dir) {
      const place = judgePlace(rules, dir);
      // If no file has its own rule and there are no patterns or names to check, the directory decides for all its files.
      const isPlain = !place.hasNamed && rules.outGlobs.length === 0 && rules.outNames.size === 0;
      if (isPlain) return () => place.isIncluded;
      return (name) => judgeFile(rules, place, { path: dir === '/' ? `/${name}` : `${dir}/${name}`, name });
    },
    explain: (path) => toJudgement(toDecisions(rules, path)),
  };
}

interface Rules {
  readonly includePaths: ReadonlySet<string>;
  readonly excludePaths: ReadonlySet<string>;
  readonly named: ReadonlySet<string>;
  readonly outNames: ReadonlySet<string>;
  readonly backNames: ReadonlySet<string>;
  readonly outGlobs: readonly Glob[];
  readonly backGlobs: readonly Glob[];
  readonly own: ReadonlySet<string>;
}

function toRules(config: FilterConfig, own: readonly string[]): Rules {
  return {
    includePaths: new Set(config.include_paths),
    excludePaths: new Set(config.exclude_paths),
    named: new Set([...config.include_paths, ...config.exclude_paths]),
    outNames: new Set(config.exclude_dirnames),
    backNames: new Set(config.include_dirnames),
    outGlobs: config.exclude_globs.map(createGlob),
    backGlobs: config.include_globs.map(createGlob),
    own: new Set(own),
  };
}

type Place = ReturnType<typeof judgePlace>;

function judgeFile(rules: Rules, place: Place, { path, name }: { path: string; name: string }): boolean {
  const isIncluded = rules.named.has(path) ? judgePaths(rules, path).symbol === '+' : place.isIncluded;
  if (!isIncluded || rules.own.has(path)) return false;
  const isOut = place.isOut || rules.outNames.has(name) || matches(rules.outGlobs, path, name);
  return !isOut || place.isBack || matches(rules.backGlobs, path, name);
}

function judgePlace(rules: Rules, dir: string) {
  return {
    hasNamed: [...rules.named, ...rules.own].some((path) => path !== '/' && dirname(path) === dir),
    isIncluded: judgePaths(rules, dir).symbol === '+',
    isOut: findOutName(rules, dir) !== undefined,
    isBack: rules.backNames.has(basename(dir)),
  };
}

function matches(globs: readonly Glob[], path: string, name: string): boolean {
  if (globs.length === 0) return false;
  const texts = [toCodePoints(path), toCodePoints(name)];
  return globs.some((glob) => texts.some(glob));
}

function findOutName({ outNames }: Rules, path: string): string | undefined {
  if (outNames.size === 0) return undefined;
  return path.split('/').find((name) => name !== '' && outNames.has(name));
}

function judgePaths(rules: Rules, path: string): Decision {
  for (let at = path; ; at = dirname(at)) {
    if (rules.excludePaths.has(at)) return { symbol: '-', message: `in exclude_paths: ${at}` };
    if (rules.includePaths.has(at)) return { symbol: '+', message: `in include_paths: ${at}` };
    if (at === '/') break;
  }
  const isEmpty = rules.includePaths.size === 0;
  return { symbol: '-', message: isEmpty ? 'no include_paths are defined' : 'outside include_paths' };
}

function toDecisions(rules: Rules, path: string): Decision[] {
  if (rules.own.has(path)) return [{ symbol: '-', message: 'a file of the monitor itself' }];
  const place = judgePaths(rules, path);
  if (place.symbol === '-') return [place];
  const out = findAgainst(rules, path);
  if (out === undefined) return [place];
  const back = findBack(rules, path);
  return [
    place,
    { symbol: '-', message: out },
    ...(back === undefined ? [] : [{ symbol: '+' as const, message: back }]),
  ];
}

function findAgainst(rules: Rules, path: string): string | undefined {
  const name = findOutName(rules, path);
  if (name !== undefined) return `in exclude_dirnames: ${name}`;
  return matches(rules.outGlobs, path, basename(path)) ? 'matches exclude_globs' : undefined;
}

function findBack(rules: Rules, path: string): string | undefined {
  const parent = basename(dirname(path));
  if (rules.backNames.has(parent)) return `in include_dirnames: ${parent}`;
  return matches(rules.backGlobs, path, basename(path)) ? 'matches include_globs' : undefined;
}

function toJudgement(decisions: readonly Decision[]): Judgement {
  const last = decisions.at(-1);
  return { isMonitored: last?.symbol === '+', reason: last?.message ?? '', decisions };
}
