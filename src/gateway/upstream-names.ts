/** Default names of upstreams and of their gateways' stores. Imports next to nothing. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** The parts of a server spec that its name is derived from. */
export interface UpstreamAddress {
  readonly command?: unknown;
  readonly args?: unknown;
  readonly cwd?: unknown;
  readonly url?: unknown;
}

/** The name of a single upstream in messages; for a server in this process just `server`. */
export function toUpstreamName(address: UpstreamAddress | undefined): string {
  const label = address === undefined ? 'server' : toLabel(toPlace(address));
  return label.replace(/^[^A-Za-z0-9]+/, '').slice(0, 64) || 'server';
}

/** A store name that is always the same for the same servers, and readable for a person. */
export function toStoreName(upstreams: Readonly<Record<string, UpstreamAddress | undefined>>): string {
  const places = Object.entries(upstreams).map(([name, address]) => [name, address ? toPlace(address) : {}] as const);
  const print = createHash('sha256').update(JSON.stringify(places)).digest('hex').slice(0, 8);
  const label = places
    .map(([, place]) => toLabel(place))
    .join('-')
    .slice(0, 40);
  return `gateway-${label}-${print}`;
}

function toPlace({ command, args, cwd, url }: UpstreamAddress): UpstreamAddress {
  if (command !== undefined) return { command, args, cwd: cwd ?? process.cwd() };
  return url === undefined ? {} : { url };
}

function toLabel({ command, args, url }: UpstreamAddress): string {
  if (isText(url)) return new URL(url).host.replace(/[^A-Za-z0-9.-]/g, '-');
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(isText);
  // The script of an interpreter is a better label than the interpreter.
  const program = words.find((word, at) => at > 0 && !word.startsWith('-')) ?? words[0] ?? 'process';
  return basename(program)
    .replace(/\.[cm]?[jt]s$/, '')
    .replace(/[^A-Za-z0-9._-]/g, '-');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
