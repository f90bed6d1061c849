/**
 * Finds servers by name in `holdfast.json` and `.mcp.json`, in the working directory and its parents.
 *
 * The search ends at the user's home, and at the first directory that belongs to another user. Files that other users could
 * have written are not read.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isTaskError, TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import type { RefusalParams } from '../../options/issue-text.ts';
import { optionsParser } from '../../options/options-parser.ts';
import { readOwnFile } from './read-file.ts';
import { isForeign } from './untrusted-reason.ts';

const FILES = ['holdfast.json', '.mcp.json'];

/** A file's entry for one server. */
export type Entry = Readonly<Record<string, unknown>>;

export interface FoundEntry {
  readonly path: string;
  readonly entry: Entry;
}

/** The entry of a server in the nearest file that has one. */
export function findEntry(name: string): FoundEntry {
  const known: string[] = [];
  const refused: TaskError[] = [];
  for (const path of listFiles(process.cwd())) {
    const servers = readUnlessRefused(path, refused);
    const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (entry) return { path, entry };
    known.push(...Object.keys(servers));
  }
  // The server may be in a file that was refused.
  if (refused[0]) throw refused[0];
  const expected =
    known.length > 0 ? `known are ${known.join(', ')}` : `there is no ${FILES.join(' or ')} here or above`;
  throw new TaskError('SERVER_NOT_FOUND', `there is no server ${JSON.stringify(name)}; ${expected}`);
}

/** The servers named in config files, the nearest first; a name found in several files is taken from the nearest. */
export function listEntries(): { readonly name: string; readonly path: string }[] {
  const found = new Map<string, string>();
  for (const path of listFiles(process.cwd())) {
    for (const name of Object.keys(readUnlessRefused(path, []))) if (!found.has(name)) found.set(name, path);
  }
  return [...found].map(([name, path]) => ({ name, path }));
}

/** A file's current entry for a server; undefined if the file or the entry is gone, or the file is no longer trusted. */
export function readEntry(path: string, name: string): Entry | undefined {
  if (!exists(path)) return undefined;
  const servers = readUnlessRefused(path, []);
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/** Whether a file is directly in the user's home: no checkout of a repository puts it there. */
export function isHomeFile(path: string): boolean {
  return dirname(path) === findHome();
}

/** Lists the nearest directory first. */
function listFiles(from: string): string[] {
  const here = FILES.map((file) => join(from, file)).filter(exists);
  const parent = dirname(from);
  const isLast = parent === from || from === findHome() || isForeign(from);
  return isLast ? here : [...here, ...listFiles(parent)];
}

function findHome(): string | undefined {
  try {
    return realpathSync(homedir());
  } catch {
    return undefined;
  }
}

/** A dangling symlink counts as existing, so that reading it reports an error. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function readUnlessRefused(path: string, refused: TaskError[]): Readonly<Record<string, Entry>> {
  try {
    return readServers(path);
  } catch (error) {
    if (!isTaskError(error, 'UNTRUSTED_CONFIG')) throw error;
    refused.push(error);
    return {};
  }
}

// A server's fields are checked by the host that connects to it: files of other programs may have more fields.
const parseFile = optionsParser(() =>
  z.custom<{ readonly mcpServers: Readonly<Record<string, Entry>> }>(
    (file) => isObject(file) && isObject(file.mcpServers),
    { error: '{ "mcpServers": { NAME: { … } } }', params: { says: 'has no mcpServers' } satisfies RefusalParams },
  ),
);

function readServers(path: string): Readonly<Record<string, Entry>> {
  return parseFile(readJson(path), { whole: path }).mcpServers;
}

/** The parsed content of a file that only this user can have written; errors name the file. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readOwnFile(path));
  } catch (cause) {
    if (isTaskError(cause)) throw cause;
    throw new TaskError('INVALID_ARGUMENT', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
