import { TaskError } from '../../errors.ts';
import type { ServerSettings } from '../server-options.ts';
import { refuseOpenListen } from './gate.ts';
import { parseToken } from './token.ts';

/** Where a server listens, and who may use it. */
export interface ListenOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Others than this machine need a verifier. @default '127.0.0.1' */
  readonly host?: string;
  /**
   * A bearer token that every request must carry: `Authorization: Bearer …`. Without it every user of the machine could
   * use the server as its owner. `'random'` makes one and keeps it in the store's directory (mode 0600) for restarts.
   * Whoever has it is the owner.
   *
   * @default none; then `verify` or `unprotected` is needed
   */
  readonly token?: string;
  /** Lets everybody who reaches the port in as the owner. @default that of the server */
  readonly unprotected?: boolean;
}

/** A server that listens on a port. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** What requests must carry, where that is a token. */
  readonly token?: string;
  close(): Promise<void>;
}

export interface ParsedListenOptions {
  readonly port: number;
  readonly host: string;
  readonly token: string | undefined;
  readonly unprotected: boolean;
}

/** Checks the options; closed unless one of them says how it is opened. */
export function parseListenOptions(
  options: ListenOptions,
  settings: Pick<ServerSettings, 'verify' | 'unprotected'>,
): ParsedListenOptions {
  const { port, host = '127.0.0.1', unprotected = settings.unprotected } = options;
  const token = parseToken(options.token);
  if (!settings.verify && !isLoopback(host)) {
    const expected = 'without verify only this machine may be served, on 127.0.0.1, ::1 or localhost';
    throw new TaskError('INVALID_ARGUMENT', `host is ${JSON.stringify(host)}; ${expected}`);
  }
  if (typeof unprotected !== 'boolean') {
    throw new TaskError('INVALID_ARGUMENT', `unprotected is ${JSON.stringify(unprotected)}; expected true or false`);
  }
  const ways = { verify: settings.verify, token, unprotected: unprotected || undefined };
  const given = Object.entries(ways).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 0) throw refuseOpenListen();
  if (given.length === 1) return { port, host, token, unprotected };
  const message = `${given.join(' and ')} are given; expected one of them, because each says alone who is let in`;
  throw new TaskError('INVALID_ARGUMENT', message);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
