/** What upstreams and the stores of their gateways are called where nobody said so; it imports next to nothing. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** How a server is reached, as far as its name depends on it. */
export interface UpstreamWay {
  readonly command?: unknown;
  readonly args?: unknown;
  readonly cwd?: unknown;
  readonly url?: unknown;
}

/** What the only upstream is called in messages; nothing is known of one in this process. */
export function toUpstreamName(way: UpstreamWay | undefined): string {
  const label = way === undefined ? 'server' : toLabel(toPlace(way));
  return label.replace(/^[^A-Za-z0-9]+/, '').slice(0, 64) || 'server';
}

/** A name that is the same for the same servers, and tells a person which they are. */
export function toStoreName(upstreams: Readonly<Record<string, UpstreamWay | undefined>>): string {
  const places = Object.entries(upstreams).map(([name, way]) => [name, way ? toPlace(way) : {}] as const);
  const print = createHash('sha256').update(JSON.stringify(places)).digest('hex').slice(0, 8);
  const label = places
    .map(([, place]) => toLabel(place))
    .join('-')
    .slice(0, 40);
  return `gateway-${label}-${print}`;
}

function toPlace({ command, args, cwd, url }: UpstreamWay): UpstreamWay {
  if (command !== undefined) return { command, args, cwd: cwd ?? process.cwd() };
  return url === undefined ? {} : { url };
}

function toLabel({ command, args, url }: UpstreamWay): string {
  if (isText(url)) return new URL(url).host.replace(/[^A-Za-z0-9.-]/g, '-');
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(isText);
  // The program of an interpreter says more than the interpreter.
  const program = words.find((word, at) => at > 0 && !word.startsWith('-')) ?? words[0] ?? 'process';
  return basename(program)
    .replace(/\.[cm]?[jt]s$/, '')
    .replace(/[^A-Za-z0-9._-]/g, '-');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
