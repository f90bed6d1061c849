/** Finds the servers in a client's config file, and whether each goes through the gateway. */
import { basename } from 'node:path';
import type { ClientConfig } from './client-table.ts';
import { type ConfigField, findField, type ObjectNode, readText, toTexts } from './config-node.ts';

export interface ClientServer {
  readonly name: string;
  /** Path of the entry in the file. */
  readonly path: readonly string[];
  readonly entry: ObjectNode;
  readonly endpoint: ServerEndpoint;
}

/** How a client reaches a server. */
export type ServerEndpoint =
  | { readonly kind: 'program'; readonly words: readonly string[]; readonly parts: ProgramParts }
  | { readonly kind: 'url'; readonly url: string; readonly field: ConfigField }
  | { readonly kind: 'unknown'; readonly why: string };

/** The fields that hold a program: one list, or a command and its arguments. */
export interface ProgramParts {
  readonly command: ConfigField;
  readonly args?: ConfigField;
}

export function listServers(client: ClientConfig, root: ObjectNode): readonly ClientServer[] {
  return client.tables
    .flatMap((path) => listEntries(root, path))
    .flatMap(({ path, entry }) => {
      const endpoint = toEndpoint(client, entry);
      // The same object may also hold settings that are not servers.
      return endpoint ? [{ name: path.at(-1) ?? '', path, entry, endpoint }] : [];
    });
}

interface Entry {
  readonly path: readonly string[];
  readonly entry: ObjectNode;
}

/** Every object below the objects at a path; `*` matches any name. */
function listEntries(root: ObjectNode, path: readonly string[]): readonly Entry[] {
  const tables = path.reduce<readonly Entry[]>(
    (found, name) =>
      found.flatMap((one) => listBelow(one).filter(({ path: at }) => name === '*' || at.at(-1) === name)),
    [{ path: [], entry: root }],
  );
  return tables.flatMap(listBelow);
}

function listBelow({ path, entry }: Entry): readonly Entry[] {
  return entry.fields.flatMap(({ name, value }) =>
    value.kind === 'object' ? [{ path: [...path, name], entry: value }] : [],
  );
}

/** Finds where the server's own command begins after the gateway's arguments; undefined when it is not behind the gateway. */
export function findGatewayWords(words: readonly string[]): { readonly own: number } | undefined {
  const at = words.indexOf('gateway');
  const before = basename(words[at - 1] ?? '');
  // The program may be given by its name, as a registry package, or by the path of its file.
  if (at < 1 || at > 4 || !/^(holdfast(@.+|\.cmd)?|main\.js)$/.test(before)) return undefined;
  const end = words.indexOf('--', at);
  return { own: end === -1 ? words.length : end + 1 };
}

function toEndpoint(client: ClientConfig, entry: ObjectNode): ServerEndpoint | undefined {
  const command = findField(entry, 'command');
  if (command) return client.command === 'list' ? readList(command) : readProgram(entry, command);
  const field = client.urls.map((name) => findField(entry, name)).find(Boolean);
  if (!field) return undefined;
  return readUrl(client, entry, field);
}

function readList(command: ConfigField): ServerEndpoint {
  const words = toTexts(command.value);
  return words?.length ? { kind: 'program', words, parts: { command } } : unknown('its command is no list of texts');
}

function readProgram(entry: ObjectNode, command: ConfigField): ServerEndpoint {
  // Zed's older form: { command: { path, args, env } }
  const path = findField(command.value, 'path');
  if (path) return readProgram(command.value as ObjectNode, path);
  const { value } = command;
  if (value.kind !== 'scalar' || typeof value.value !== 'string') return unknown('its command is no text');
  const args = findField(entry, 'args');
  const texts = args ? toTexts(args.value) : [];
  if (!texts) return unknown('its args are no list of texts');
  return { kind: 'program', words: [value.value, ...texts], parts: { command, ...(args && { args }) } };
}

function readUrl({ name }: ClientConfig, entry: ObjectNode, field: ConfigField): ServerEndpoint {
  const { value } = field;
  if (value.kind !== 'scalar' || typeof value.value !== 'string') return unknown(`its ${field.name} is no text`);
  const type = readText(entry, 'type') ?? readText(entry, 'transport');
  // Gemini's `url` means SSE unless the entry sets another type.
  const isSse = type === 'sse' || (name === 'gemini' && field.name === 'url' && type !== 'http');
  if (isSse)
    return unknown('it speaks HTTP+SSE of 2024-11-05, which the gateway does not; is there a streamable HTTP URL?');
  return { kind: 'url', url: value.value, field };
}

function unknown(why: string): ServerEndpoint {
  return { kind: 'unknown', why };
}
