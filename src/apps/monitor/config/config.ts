import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { z } from 'zod';
import { type OptionsParser, type OptionsShape, optionsParser, type RefusalParams } from '../../../app-kit/index.ts';
import { MONITOR_LIMITS } from '../monitor-limits.ts';
import { limitCount, limitLength, limitTotal } from './config-limits.ts';

export const FILTER_LISTS = [
  'include_paths',
  'exclude_paths',
  'include_dirnames',
  'exclude_dirnames',
  'include_globs',
  'exclude_globs',
] as const;

export type FilterList = (typeof FILTER_LISTS)[number];

export type FilterConfig = Readonly<Record<FilterList, readonly string[]>>;

export interface PriorityConfig {
  /** Base priorities: a directory and the priority of what it contains. */
  readonly dirs: Readonly<Record<string, number>>;
  readonly weights: {
    readonly depth_multiplier: number;
    readonly underscore_multiplier: number;
    readonly only_underscore_multiplier: number;
    readonly extension_weights: Readonly<Record<string, number>>;
  };
}

/** Which files are monitored, and the priority of each. */
export interface MonitorConfig {
  readonly filter: FilterConfig;
  readonly priority: PriorityConfig;
  /** Files with a lower priority are not stored. */
  readonly min_priority: number;
  /** How many files are stored at most; 0 means no limit. */
  readonly max_documents: number;
  /** Only paths in these directories can be synced. */
  readonly allowed_roots: readonly string[];
}

const parseWhole = optionsParser(() =>
  fields({
    filter: filterSchema().prefault({}),
    priority: prioritySchema().prefault({}),
    min_priority: number().default(0),
    max_documents: z.custom<number>(isCount, 'a whole number from 0 up; 0 is without limit').default(0),
    allowed_roots: list(path(), ['/']),
  } satisfies OptionsShape<MonitorConfig>),
);

/** Validates a config; missing fields get their defaults. */
export function parseConfig(value: unknown): MonitorConfig {
  return parseWhole(value, { whole: 'the config' });
}

const parseOnePath = optionsParser(path);
const parsePriorityNumber = optionsParser(number);
const parseListName = optionsParser(() => z.enum(FILTER_LISTS, FILTER_LISTS.join(', ')));
const parseEntries = Object.fromEntries(FILTER_LISTS.map((list) => [list, optionsParser(() => entry(list))])) as Record<
  FilterList,
  OptionsParser<string>
>;

/** Parses an absolute path and removes `~`, `.` and `..`; symbolic links are not resolved. */
export function parsePath(value: unknown, field: string): string {
  return parseOnePath(value, { field });
}

/** Parses an entry of a filter list: a path, the name of a directory, or a glob. */
export function parseEntry(list: FilterList, value: unknown): string {
  return parseEntries[list](value, { field: list });
}

export function parseFilterList(value: unknown): FilterList {
  return parseListName(value, { whole: 'the list' });
}

export function parsePriorityValue(value: unknown, field: string): number {
  return parsePriorityNumber(value, { field });
}

function filterSchema() {
  return fields({
    // Without a list everything is included; an empty list includes nothing.
    include_paths: list(path(), ['/']),
    exclude_paths: list(path()),
    include_dirnames: list(directoryName()),
    exclude_dirnames: list(directoryName()),
    include_globs: globs(),
    exclude_globs: globs(),
  } satisfies OptionsShape<FilterConfig>);
}

function prioritySchema() {
  const factor = () => number().default(1);
  const extension = z.string().regex(/^\.[^/]+$/, 'an extension with its dot, such as .md');
  const weights = fields({
    depth_multiplier: factor(),
    underscore_multiplier: factor(),
    only_underscore_multiplier: factor(),
    extension_weights: numbers(extension),
  } satisfies OptionsShape<PriorityConfig['weights']>);
  return fields({ dirs: numbers(path()), weights: weights.prefault({}) } satisfies OptionsShape<PriorityConfig>);
}

function entry(list: FilterList): z.ZodType<string> {
  if (list.endsWith('_paths')) return path();
  return list.endsWith('_dirnames') ? directoryName() : glob();
}

function path(): z.ZodType<string> {
  return z
    .unknown()
    .transform((given) => (typeof given === 'string' ? expandHome(given) : given))
    .superRefine(limitLength(MONITOR_LIMITS.maxPathChars))
    .refine((given) => isPath(given), 'an absolute path, or one that begins with ~/')
    .transform((given) => toBare(normalize(given as string)));
}

function directoryName(): z.ZodType<string> {
  const isName = (given: unknown) => typeof given === 'string' && given !== '' && !given.includes('/');
  return z
    .custom<string>(isName, { error: 'the name of a directory, without a slash', abort: true })
    .superRefine(limitLength(MONITOR_LIMITS.maxNameChars));
}

function glob(): z.ZodType<string> {
  const isGlob = (given: unknown) => typeof given === 'string' && given !== '';
  return z
    .custom<string>(isGlob, { error: 'a pattern such as *.tmp', abort: true })
    .superRefine(limitLength(MONITOR_LIMITS.maxGlobChars));
}

function globs() {
  return list(glob()).superRefine(limitTotal);
}

function list(one: z.ZodType<string>, standard: readonly string[] = []) {
  return z
    .array(one, 'a list of texts')
    .superRefine(limitCount)
    .default(() => [...standard]);
}

function numbers(key: z.ZodType<string>) {
  return z
    .record(key, number(), 'an object')
    .superRefine((given, context) => limitCount(Object.keys(given), context))
    .default({});
}

function number() {
  return z.custom<number>((given) => Number.isFinite(given) && (given as number) >= 0, 'a number from 0 up');
}

/** An object with these fields and no others: a misspelt field would otherwise silently keep its default. */
function fields<Fields extends z.core.$ZodShape>(shape: Fields) {
  const names = Object.keys(shape);
  return z.looseObject(shape, 'an object').superRefine((given, context) => {
    const unknown = Object.keys(given).find((name) => !names.includes(name));
    if (unknown === undefined) return;
    const params: RefusalParams = { says: `has ${JSON.stringify(unknown)}` };
    context.addIssue({ code: 'custom', message: names.join(', '), params });
  });
}

function expandHome(given: string): string {
  return /^~(?=\/|$)/.test(given) ? join(homedir(), given.slice(1)) : given;
}

function isPath(given: unknown): boolean {
  return typeof given === 'string' && isAbsolute(given) && !given.includes('\0');
}

function isCount(given: unknown): boolean {
  return Number.isSafeInteger(given) && (given as number) >= 0;
}

function toBare(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
