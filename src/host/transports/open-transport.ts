import type { Transport } from '@modelcontextprotocol/client';
import { ChildTransport, type ChildTransportOptions } from './child-transport.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import type { ServerSpec } from './server-spec.ts';

export interface TransportOptions extends HttpTransportOptions {
  /** How others learn of a server that runs as a child process. */
  prepareChild(): ChildTransportOptions['child'];
}

/** Opens a new transport to the server; what comes on it is limited, except on those that its owner made. */
export async function openTransport(spec: ServerSpec, options: TransportOptions): Promise<Transport> {
  if ('transport' in spec) return spec.transport();
  if ('url' in spec) return new HttpTransport(spec, options);
  return new ChildTransport(spec, { ...options, child: options.prepareChild() });
}
