import type { Transport } from '@modelcontextprotocol/client';
import { ChildTransport, type ChildTransportOptions } from './child-transport.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type { KeeperLink } from './keeping-transport.ts';
import { KeptHttpTransport } from './kept-http-transport.ts';
import type { HttpSpec, ServerSpec, StdioSpec } from './server-spec.ts';

export interface TransportOptions extends HttpTransportOptions {
  /** How others learn of a server that runs as a child process. */
  prepareChild(): ChildTransportOptions['child'];
  /** Reaches such a server through its keeper; nothing when there can be none. */
  openKept?(spec: StdioSpec): Promise<Transport | undefined>;
  /** Reaches the keeper of calls over HTTP; nothing when there can be none. */
  openKeptCalls?(spec: HttpSpec): Promise<KeeperLink | undefined>;
}

/** Opens a new transport to the server; what comes on it is limited, except on those that its owner made. */
export async function openTransport(spec: ServerSpec, options: TransportOptions): Promise<Transport> {
  if ('transport' in spec) return spec.transport();
  if ('url' in spec) return openHttp(spec, options);
  const kept = await options.openKept?.(spec);
  return kept ?? new ChildTransport(spec, { ...options, child: options.prepareChild() });
}

/** A function cannot be given to another process, and a session of an earlier host has no new calls. */
function openHttp(spec: HttpSpec, options: TransportOptions): Transport {
  const { openKeptCalls, session } = options;
  if (!openKeptCalls || spec.fetch || session) return new HttpTransport(spec, options);
  return new KeptHttpTransport(spec, { ...options, openKeeper: () => openKeptCalls(spec) });
}
