/**
 * Plans the edits to a client's entry so that its server is reached through the gateway.
 *
 * Edits only insert text and rename fields and never rewrite an entry, so comments and order are preserved. The server's
 * environment stays where it is, because the gateway passes its own environment on.
 */

import type { ClientConfig } from './client-table.ts';
import { type ConfigField, type Edit, findField, type ObjectNode, readText } from './config-node.ts';
import { type ClientServer, findGatewayWords, type ProgramParts } from './find-servers.ts';
import { headerVariable } from './header-variable.ts';

/** The command with which a client starts this program. */
export interface GatewayCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export type EntryPlan =
  | { readonly kind: 'change'; readonly edits: readonly Edit[] }
  | { readonly kind: 'already' }
  | { readonly kind: 'refused'; readonly why: string };

interface EntryPlanOptions {
  readonly client: ClientConfig;
  readonly gateway: GatewayCommand;
}

export function planEntry({ name, entry, endpoint }: ClientServer, options: EntryPlanOptions): EntryPlan {
  if (endpoint.kind === 'unknown') return { kind: 'refused', why: endpoint.why };
  if (endpoint.kind === 'program') {
    if (findGatewayWords(endpoint.words)) return { kind: 'already' };
    const [program = ''] = endpoint.words;
    return { kind: 'change', edits: planProgram(endpoint.parts, { ...options, name, program }) };
  }
  return planUrl({ name, entry, url: endpoint.url, field: endpoint.field }, options);
}

interface ProgramPlanOptions extends EntryPlanOptions {
  readonly name: string;
  /** The program that the client starts today. */
  readonly program: string;
}

function planProgram({ command, args }: ProgramParts, { client, gateway, name, program }: ProgramPlanOptions): Edit[] {
  const own = [...gateway.args, 'gateway', '--name', name, '--'];
  if (client.command === 'list') return insertFirst(command, [gateway.command, ...own]);
  const replaced = replaceScalar(command, gateway.command);
  const words = [...own, program];
  return args
    ? [replaced, ...insertFirst(args, words)]
    : [replaced, addBefore(client, command, ['args', toList(words)])];
}

interface UrlEntry {
  readonly name: string;
  readonly entry: ObjectNode;
  readonly url: string;
  readonly field: ConfigField;
}

// These fields change how a client connects to a URL, and the gateway does not implement them.
const UNKNOWN_TO_US = ['env_http_headers', 'oauth', 'auth', 'authProviderType', 'headersHelper', 'scopes'];

function planUrl({ name, entry, url, field }: UrlEntry, { client, gateway }: EntryPlanOptions): EntryPlan {
  const strange = UNKNOWN_TO_US.find((one) => findField(entry, one));
  if (strange !== undefined) return { kind: 'refused', why: `it has ${strange}, which the gateway does not know` };
  const headers = planHeaders(entry, client);
  if (typeof headers === 'string') return { kind: 'refused', why: headers };
  const bearer = planBearer(entry, client);
  const own = [...gateway.args, 'gateway', '--name', name, '--url', url, ...bearer.args];
  const type = findField(entry, 'type');
  return {
    kind: 'change',
    edits: [
      ...planUrlField(field, client, [gateway.command, ...own]),
      ...(type ? [replaceScalar(type, client.stdioType)] : []),
      ...headers,
      ...bearer.edits,
    ],
  };
}

/** Replaces the URL with the gateway's command. */
function planUrlField(field: ConfigField, client: ClientConfig, words: readonly string[]): Edit[] {
  const [command = '', ...args] = words;
  const renamed = field.keys.map((key) => ({ ...key, text: client.syntax.toKey('command') }));
  if (client.command === 'list') return [...renamed, replaceWith(field, toList(words))];
  return [...renamed, replaceScalar(field, command), addBefore(client, field, ['args', toList(args)])];
}

/** Headers become environment variables: they may be secret, and a command line is visible to other users. */
function planHeaders(entry: ObjectNode, client: ClientConfig): Edit[] | string {
  const headers = findField(entry, client.headers);
  if (!headers) return [];
  if (headers.value.kind !== 'object') return `its ${client.headers} are no object`;
  if (findField(entry, client.env)) return `it has both ${client.headers} and ${client.env}`;
  const strange = headers.value.fields.find(({ name }) => headerVariable(name) === undefined);
  if (strange) return `its header ${JSON.stringify(strange.name)} cannot be handed over as a variable`;
  const names = headers.value.fields.flatMap(({ name, keys }) =>
    keys.map((key) => ({ ...key, text: client.syntax.toKey(headerVariable(name) ?? name) })),
  );
  return [...headers.keys.map((key) => ({ ...key, text: client.syntax.toKey(client.env) })), ...names];
}

/** Codex names the variable that holds the token, and passes only listed variables to a program. */
function planBearer(entry: ObjectNode, client: ClientConfig): { readonly args: string[]; readonly edits: Edit[] } {
  const field = findField(entry, 'bearer_token_env_var');
  const variable = readText(entry, 'bearer_token_env_var');
  if (!field || variable === undefined) return { args: [], edits: [] };
  const renamed = field.keys.map((key) => ({ ...key, text: client.syntax.toKey('env_vars') }));
  return { args: ['--bearer-env', variable], edits: [...renamed, replaceWith(field, toList([variable]))] };
}

function insertFirst({ value }: ConfigField, words: readonly string[]): Edit[] {
  if (value.kind !== 'array') return [];
  const at = value.start + 1;
  const isAlone = value.items.length === 0;
  return [{ start: at, end: at, text: `${words.map(quote).join(', ')}${isAlone ? '' : ', '}` }];
}

function addBefore(client: ClientConfig, { place }: ConfigField, [name, value]: readonly [string, string]): Edit {
  const { start, prefix, separator } = place;
  return { start, end: start, text: `${prefix}${client.syntax.toField(name, value)}${separator}` };
}

function replaceScalar(field: ConfigField, text: string): Edit {
  return replaceWith(field, quote(text));
}

function replaceWith({ value }: ConfigField, text: string): Edit {
  if (value.kind === 'object') throw new Error('an object has no one place in a file');
  return { start: value.start, end: value.end, text };
}

function toList(words: readonly string[]): string {
  return `[${words.map(quote).join(', ')}]`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
