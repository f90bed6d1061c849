import type { Transport } from '@modelcontextprotocol/client';
import { ChildTransport, type ChildTransportOptions } from './child-transport.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type { KeeperLink } from './keeping-transport.ts';
import { KeptHttpTransport } from './kept-http-transport.ts';
import type { HttpSpec, ServerSpec, StdioSpec } from './server-spec.ts';

export interface TransportOptions extends HttpTransportOptions {
  /** Prepares the notes and environment of a server that runs as a child process. */
  prepareChild(): ChildTransportOptions['child'];
  /** Reaches a server on stdio through its keeper; `undefined` when there can be none. */
  openKept?(spec: StdioSpec): Promise<Transport | undefined>;
  /** Connects to the keeper for calls over HTTP; `undefined` when there can be none. */
  openKeptCalls?(spec: HttpSpec): Promise<KeeperLink | undefined>;
}

/** Opens a new transport to the server. What it receives is limited, unless the transport is the user's own. */
export async function openTransport(spec: ServerSpec, options: TransportOptions): Promise<Transport> {
  if ('transport' in spec) return spec.transport();
  if ('url' in spec) return openHttp(spec, options);
  const kept = await options.openKept?.(spec);
  return kept ?? new ChildTransport(spec, { ...options, child: options.prepareChild() });
}

/**
 * Calls go through a keeper, except with a custom `fetch`, which cannot be passed to another process, and in a session of an
 * earlier host, in which no new calls are made.
 */
function openHttp(spec: HttpSpec, options: TransportOptions): Transport {
  const { openKeptCalls, session } = options;
  if (!openKeptCalls || spec.fetch || session) return new HttpTransport(spec, options);
  return new KeptHttpTransport(spec, { ...options, openKeeper: () => openKeptCalls(spec) });
}
