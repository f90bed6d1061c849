/** How a gateway describes itself to clients: as its upstream, if it has one, or as several upstreams combined. */
import type { JsonObject, ServerInfo } from '../host/index.ts';
import type { Implementation } from '../index.ts';
import { isObject } from '../is-object.ts';

export interface GatewayCard {
  readonly serverInfo: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: { readonly [name: string]: object };
}

/** Capabilities that the gateway implements itself, regardless of its upstreams. */
const OWN = ['tasks'];

/** Builds the card. @param infos server info by upstream name, for all upstreams that were ever reached */
export function toCard(infos: Readonly<Record<string, ServerInfo>>): GatewayCard {
  const entries = Object.entries(infos);
  const [only, ...others] = entries;
  const capabilities: Record<string, object> = {};
  for (const [, info] of entries) mergeInto(capabilities, info.capabilities);
  // The list of tools changes when an upstream connects or disappears.
  capabilities.tools = { ...capabilities.tools, listChanged: true };
  const single = only && others.length === 0 ? only[1] : undefined;
  return {
    serverInfo: toImplementation(single?.implementation),
    instructions: single ? single.instructions : toInstructions(entries),
    capabilities,
  };
}

function mergeInto(all: Record<string, object>, more: JsonObject): void {
  for (const [name, value] of Object.entries(more)) {
    if (isObject(value) && !OWN.includes(name)) all[name] = { ...all[name], ...value };
  }
}

function toInstructions(entries: readonly (readonly [string, ServerInfo])[]): string | undefined {
  const parts = entries.flatMap(([name, { instructions }]) => (instructions ? [`# ${name}\n\n${instructions}`] : []));
  return parts.length === 0 ? undefined : parts.join('\n\n');
}

function toImplementation(given: JsonObject | undefined): Implementation | undefined {
  return typeof given?.name === 'string' && typeof given.version === 'string'
    ? (given as unknown as Implementation)
    : undefined;
}
