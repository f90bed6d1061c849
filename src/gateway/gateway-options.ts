import { InMemoryTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { ServerSpec } from '../host/index.ts';
import type { ServerOptions } from '../index.ts';
import { refusedField } from '../invalid-field.ts';
import { isObject } from '../is-object.ts';
import { onlyFields, text, value, whole } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';
import type { ToolPolicy } from './policy.ts';
import { toStoreName, toUpstreamName, type UpstreamAddress } from './upstream-names.ts';
import type { UpstreamOptions } from './upstreams/upstream.ts';

/** An MCP SDK server in this process, of SDK version 1 or 2: anything that can be connected to a transport. */
export interface InProcessServer {
  connect(transport: never): Promise<void>;
}

/** One server behind a gateway: how to reach it (as for `host.connect`), and the policies for its tools. */
export type Upstream = ServerSpec & {
  /** The policy for calls of all its tools. */
  readonly policy?: ToolPolicy;
  /** Policies for calls of single tools, by their upstream names. */
  readonly tools?: Readonly<Record<string, ToolPolicy>>;
  /**
   * The maximum number of connections for its calls, if it asks questions during calls on stdio, where a question does not name
   * its call. Each connection is a separate process with its own memory; with 1 there is never a second one.
   *
   * @default 4
   */
  readonly connections?: number;
};

/** Options of a gateway: its upstreams, and how it serves. Serving options are those of `ServerOptions`. */
export interface GatewayOptions
  extends Pick<
    ServerOptions,
    | 'store'
    | 'codec'
    | 'workers'
    | 'concurrency'
    | 'queueLimit'
    | 'leaseMs'
    | 'limits'
    | 'audit'
    | 'idleMs'
    | 'onError'
    | 'clock'
    | 'identity'
    | 'inlineMs'
    | 'unattendedMs'
    | 'joinMs'
    | 'jobs'
    | 'profiles'
    | 'companionPrefix'
    | 'marginMs'
    | 'progressEveryMs'
    | 'asyncTask'
    | 'promptRoots'
    | 'secret'
    | 'verify'
    | 'unprotected'
    | 'http'
    | 'warmWorker'
    | 'ui'
  > {
  /** The server behind the gateway: how to reach it, or an SDK server in this process. Give either this or `upstreams`. */
  readonly upstream?: Upstream | InProcessServer;
  /** Several servers by name. A tool or prompt name that several of them use is prefixed with the name of its server. */
  readonly upstreams?: Readonly<Record<string, Upstream | InProcessServer>>;
  /** Name of the gateway's store, and of the gateway itself if it has several upstreams. @default from the upstream */
  readonly name?: string;
  /** Timeout of the handshake with an upstream, in ms. @default 30_000 */
  readonly connectMs?: number;
  /** The version that clients see when there are several upstreams. @default '0.1.0' */
  readonly version?: string;
}

export interface GatewaySettings {
  readonly name: string;
  readonly version: string;
  readonly connectMs: number;
  readonly upstreams: Readonly<Record<string, UpstreamOptions>>;
  /** The options that are passed on to the server. */
  readonly serving: Omit<GatewayOptions, 'upstream' | 'upstreams' | 'name' | 'version' | 'connectMs'>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

const policyFields = () =>
  onlyFields({
    task: z.enum(['auto', 'always', 'never'], "'auto', 'always' or 'never'").optional(),
    inlineMs: whole(0).optional(),
    idempotent: z.boolean('true or false').optional(),
    retry: whole(1).optional(),
    quickMs: whole(0).optional(),
    maxRunMs: whole(1).optional(),
    concurrency: whole(1).optional(),
    queue: text().optional(),
    cancel: z.enum(['end', 'tell'], "'end' or 'tell'").optional(),
  } satisfies OptionsShape<ToolPolicy>);

const parseFields = optionsParser(() =>
  z.object({
    name: text().optional(),
    version: text().default('0.1.0'),
    connectMs: whole(1).default(30_000),
    upstream: value<Upstream | InProcessServer>('how a server is reached, or a server', isObject).optional(),
    upstreams: value<GatewayOptions['upstreams']>('an object of servers by name', areUpstreams).optional(),
  }),
);

const parsePolicies = optionsParser(() =>
  z.object({
    policy: policyFields().optional(),
    tools: z.object({}, 'an object of policies by tool').catchall(policyFields()).optional(),
    connections: whole(1).optional(),
  }),
);

/** Validates the options; an error names the field, its value and what is expected. */
export function parseGatewayOptions(options: GatewayOptions): GatewaySettings {
  const { upstream: _1, upstreams: _2, name: _3, version: _4, connectMs: _5, ...serving } = options ?? {};
  const { name, version, connectMs, upstream, upstreams } = parseFields(options ?? {});
  if ((upstream === undefined) === (upstreams === undefined)) {
    const says = upstream === undefined ? 'have neither upstream nor upstreams' : 'have both upstream and upstreams';
    throw refusedField({ field: 'the options', says, expected: 'exactly one of them' });
  }
  const given = upstreams ?? { [toUpstreamName(toAddress(upstream as Upstream))]: upstream as Upstream };
  const parsed = Object.entries(given).map(([key, one]) => [key, parseUpstream(key, one)] as const);
  return {
    name: name ?? toStoreName(mapValues(given, toAddress)),
    version,
    connectMs,
    upstreams: Object.fromEntries(parsed),
    serving,
  };
}

function parseUpstream(name: string, given: Upstream | InProcessServer): UpstreamOptions {
  if (isServer(given)) return { spec: { transport: () => connectInProcess(given) } };
  const { policy, tools, connections, ...spec } = given;
  parsePolicies({ policy, tools, connections }, { of: `upstream ${name}` });
  return {
    spec: spec as ServerSpec,
    ...(policy && { policy }),
    ...(tools && { tools }),
    ...(connections !== undefined && { connections }),
  };
}

async function connectInProcess(server: InProcessServer) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs as never);
  return ours;
}

function isServer(given: Upstream | InProcessServer): given is InProcessServer {
  return 'connect' in given && typeof given.connect === 'function';
}

function areUpstreams(given: unknown): boolean {
  if (!isObject(given)) return false;
  const entries = Object.entries(given);
  return entries.length > 0 && entries.every(([name, one]) => NAME.test(name) && isObject(one));
}

/** How a server is reached; undefined for a server in this process. */
function toAddress(given: Upstream | InProcessServer): UpstreamAddress | undefined {
  return isServer(given) ? undefined : (given as UpstreamAddress);
}

function mapValues<T, R>(given: Readonly<Record<string, T>>, to: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, to(value)]));
}
