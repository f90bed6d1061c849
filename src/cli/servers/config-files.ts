/**
 * Servers by name, from `holdfast.json` and `.mcp.json` in the working directory and above it.
 *
 * The search ends at the user's home, and at the first directory that is somebody else's. Files that are not our own are
 * not read.
 */
import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isTaskError, TaskError } from '../../errors.ts';
import { isObject } from '../../is-object.ts';
import type { RefusalParams } from '../../options/issue-text.ts';
import { optionsParser } from '../../options/options-parser.ts';
import { isForeign } from './own-path.ts';
import { readOwnFile } from './read-file.ts';

const FILES = ['holdfast.json', '.mcp.json'];

/** What a file says of one server. */
export type Entry = Readonly<Record<string, unknown>>;

export interface FoundEntry {
  readonly path: string;
  readonly entry: Entry;
}

/** The entry of a server in the nearest file that has it. */
export function findEntry(name: string): FoundEntry {
  const known: string[] = [];
  const refused: TaskError[] = [];
  for (const path of listFiles(process.cwd())) {
    const servers = readUnlessRefused(path, refused);
    const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (entry) return { path, entry };
    known.push(...Object.keys(servers));
  }
  // It may stand in a file that was not read.
  if (refused[0]) throw refused[0];
  const expected =
    known.length > 0 ? `known are ${known.join(', ')}` : `there is no ${FILES.join(' or ')} here or above`;
  throw new TaskError('SERVER_NOT_FOUND', `there is no server ${JSON.stringify(name)}; ${expected}`);
}

/** The servers that files name, the nearest first; a name that stands in several is that of the nearest. */
export function listEntries(): { readonly name: string; readonly path: string }[] {
  const found = new Map<string, string>();
  for (const path of listFiles(process.cwd())) {
    for (const name of Object.keys(readUnlessRefused(path, []))) if (!found.has(name)) found.set(name, path);
  }
  return [...found].map(([name, path]) => ({ name, path }));
}

/** What a file says of a server now; nothing when it is gone, says nothing, or is not our own any more. */
export function readEntry(path: string, name: string): Entry | undefined {
  if (!exists(path)) return undefined;
  const servers = readUnlessRefused(path, []);
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/** Whether a file lies in the user's home itself: no checkout brings it along. */
export function isHomeFile(path: string): boolean {
  return dirname(path) === findHome();
}

/** The nearest directory comes first. */
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

/** A link that leads nowhere is there too, and is complained of. */
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

// What is said of one server is checked by the host that connects to it: files of other programs may say more.
const parseFile = optionsParser(() =>
  z.custom<{ readonly mcpServers: Readonly<Record<string, Entry>> }>(
    (file) => isObject(file) && isObject(file.mcpServers),
    { error: '{ "mcpServers": { NAME: { … } } }', params: { says: 'has no mcpServers' } satisfies RefusalParams },
  ),
);

function readServers(path: string): Readonly<Record<string, Entry>> {
  return parseFile(readJson(path), { whole: path }).mcpServers;
}

/** The content of a file of our own; a complaint names it. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readOwnFile(path));
  } catch (cause) {
    if (isTaskError(cause)) throw cause;
    throw new TaskError('INVALID_ARGUMENT', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
