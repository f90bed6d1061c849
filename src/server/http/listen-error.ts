import { TaskError } from '../../errors.ts';
import type { ParsedListenOptions } from './listen-options.ts';

type Address = Pick<ParsedListenOptions, 'port' | 'host'>;

const REASONS: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ port, host }) =>
    `port ${port} of ${host} is taken by another program; end that one, or choose another port (0 takes any free one)`,
  EACCES: ({ port }) => `port ${port} may not be used by this user; choose one from 1024 up (0 takes any free one)`,
  EADDRNOTAVAIL: ({ host }) => `${host} is no address of this machine; choose another host`,
  ENOTFOUND: ({ host }) => `${host} is no name that this machine knows; choose another host`,
};

/** Converts a system error from listening on a port into one that says what to do. */
export function toListenError(error: NodeJS.ErrnoException, address: Address): unknown {
  const { port, host } = address;
  if (error.syscall === undefined) return error;
  const why = REASONS[error.code ?? '']?.(address) ?? `port ${port} of ${host} cannot be listened on: ${error.message}`;
  return new TaskError('LISTEN_FAILED', why, { cause: error, data: { port, host } });
}
