import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { TaskError } from '../../../index.ts';
import { MONITOR_LIMITS } from '../monitor-limits.ts';
import { checkCount, checkLength, checkTotal } from './config-limits.ts';

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
  /** Where priorities begin: a directory and the priority of what lies in it. */
  readonly dirs: Readonly<Record<string, number>>;
  readonly weights: {
    readonly depth_multiplier: number;
    readonly underscore_multiplier: number;
    readonly only_underscore_multiplier: number;
    readonly extension_weights: Readonly<Record<string, number>>;
  };
}

/** What is monitored, and how much each file matters. */
export interface MonitorConfig {
  readonly filter: FilterConfig;
  readonly priority: PriorityConfig;
  /** Files below it are not kept. */
  readonly min_priority: number;
  /** How many files are kept at most; 0 is without limit. */
  readonly max_documents: number;
  /** Only paths in these directories can be synced. */
  readonly allowed_roots: readonly string[];
}

/** Checks what a config file says; what it leaves out has its default. */
export function parseConfig(value: unknown): MonitorConfig {
  const top = toFields(value, '', ['filter', 'priority', 'min_priority', 'max_documents', 'allowed_roots']);
  return {
    filter: parseFilter(top.filter),
    priority: parsePriority(top.priority),
    min_priority: toNumber(top.min_priority, 'min_priority', 0),
    max_documents: toWhole(top.max_documents, 'max_documents'),
    allowed_roots: toPaths(top.allowed_roots, 'allowed_roots', ['/']),
  };
}

/** An absolute path without `~`, `.` and `..`; symbolic links stay as they are. */
export function parsePath(value: unknown, field: string): string {
  const path = typeof value === 'string' && /^~(?=\/|$)/.test(value) ? join(homedir(), value.slice(1)) : value;
  if (typeof path === 'string') checkLength(path, MONITOR_LIMITS.maxPathChars, field);
  if (typeof path === 'string' && isAbsolute(path) && !path.includes('\0')) return toBare(normalize(path));
  throw invalid(field, value, 'an absolute path, or one that begins with ~/');
}

/** One entry of a filter list: a path, the name of a directory, or a glob. */
export function parseEntry(list: FilterList, value: unknown, field: string = list): string {
  if (list.endsWith('_paths')) return parsePath(value, field);
  const isName = list.endsWith('_dirnames');
  if (typeof value !== 'string' || value === '' || (isName && value.includes('/'))) {
    throw invalid(field, value, isName ? 'the name of a directory, without a slash' : 'a pattern such as *.tmp');
  }
  checkLength(value, isName ? MONITOR_LIMITS.maxNameChars : MONITOR_LIMITS.maxGlobChars, field);
  return value;
}

export function parseFilterList(value: unknown): FilterList {
  const list = FILTER_LISTS.find((name) => name === value);
  if (list) return list;
  throw invalid('the list', value, FILTER_LISTS.join(', '));
}

export function parsePriorityValue(value: unknown, field: string): number {
  return toNumber(value, field);
}

function parseFilter(value: unknown): FilterConfig {
  const lists = toFields(value, 'filter', FILTER_LISTS);
  const parse = (list: FilterList) => {
    const field = `filter.${list}`;
    // Without a list everything is included; an empty list includes nothing.
    const entries = toList(lists[list], field, list === 'include_paths' ? ['/'] : []);
    const parsed = entries.map((entry, at) => parseEntry(list, entry, `${field}[${at}]`));
    if (list.endsWith('_globs')) checkTotal(parsed, field);
    return parsed;
  };
  return Object.fromEntries(FILTER_LISTS.map((list) => [list, parse(list)])) as unknown as FilterConfig;
}

function parsePriority(value: unknown): PriorityConfig {
  const { dirs, weights } = toFields(value, 'priority', ['dirs', 'weights']);
  const factors = ['depth_multiplier', 'underscore_multiplier', 'only_underscore_multiplier'] as const;
  const given = toFields(weights, 'priority.weights', [...factors, 'extension_weights']);
  const toFactor = (name: (typeof factors)[number]) => toNumber(given[name], `priority.weights.${name}`, 1);
  return {
    dirs: toNumbers(dirs, 'priority.dirs', (path, field) => parsePath(path, field)),
    weights: {
      depth_multiplier: toFactor('depth_multiplier'),
      underscore_multiplier: toFactor('underscore_multiplier'),
      only_underscore_multiplier: toFactor('only_underscore_multiplier'),
      extension_weights: toNumbers(given.extension_weights, 'priority.weights.extension_weights', parseExtension),
    },
  };
}

function parseExtension(key: string, field: string): string {
  if (/^\.[^/]+$/.test(key)) return key;
  throw invalid(field, key, 'an extension with its dot, such as .md');
}

function toFields<Name extends string>(value: unknown, field: string, names: readonly Name[]) {
  const fields = toObject(value, field);
  const unknown = Object.keys(fields).find((name) => !names.includes(name as Name));
  if (unknown === undefined) return fields as Partial<Record<Name, unknown>>;
  const place = field === '' ? 'the config' : field;
  throw new TaskError('INVALID_ARGUMENT', `${place} has ${JSON.stringify(unknown)}; expected ${names.join(', ')}`);
}

function toObject(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid(field === '' ? 'the config' : field, value, 'an object');
}

function toNumbers(value: unknown, field: string, parseKey: (key: string, field: string) => string) {
  const entries = Object.entries(toObject(value, field));
  checkCount(entries.length, field);
  return Object.fromEntries(
    entries.map(([key, number]) => [parseKey(key, `a key of ${field}`), toNumber(number, `${field}[${key}]`)]),
  );
}

function toPaths(value: unknown, field: string, fallback: readonly string[]): string[] {
  return toList(value, field, fallback).map((path, at) => parsePath(path, `${field}[${at}]`));
}

function toList(value: unknown, field: string, fallback: readonly string[]): readonly unknown[] {
  if (value === undefined) return fallback;
  if (!Array.isArray(value)) throw invalid(field, value, 'a list of texts');
  checkCount(value.length, field);
  return value;
}

function toNumber(value: unknown, field: string, fallback?: number): number {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw invalid(field, value, 'a number from 0 up');
}

function toWhole(value: unknown, field: string): number {
  if (value === undefined) return 0;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw invalid(field, value, 'a whole number from 0 up; 0 is without limit');
}

function toBare(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function invalid(field: string, value: unknown, expected: string): TaskError {
  const given = value === undefined ? 'missing' : JSON.stringify(value)?.slice(0, 200);
  return new TaskError('INVALID_ARGUMENT', `${field} is ${given}; expected ${expected}`, { data: { field } });
}
