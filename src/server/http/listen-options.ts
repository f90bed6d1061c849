import { TaskError } from '../../errors.ts';
import { flag, hidden, onlyFields, text, value } from '../../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../../options/options-parser.ts';
import type { ServerSettings } from '../server-options.ts';
import { unprotectedListenError } from './gate.ts';
import { isToken, TOKEN_EXPECTED } from './token.ts';

/** Where a server listens, and who may use it. */
export interface ListenOptions {
  /** The port; 0 takes any free one. */
  readonly port: number;
  /** The address to listen on; other than loopback ones require `verify`. @default '127.0.0.1' */
  readonly host?: string;
  /**
   * A bearer token that every request must carry: `Authorization: Bearer …`. Without it every user of the machine could
   * use the server as its owner. `'random'` makes one and keeps it in the store's directory (mode 0600) for restarts. A
   * client that has it is the owner.
   *
   * @default none; then `verify` or `unprotected` is needed
   */
  readonly token?: string;
  /** Treats every client that reaches the port as the owner. @default that of the server */
  readonly unprotected?: boolean;
}

/** A server that listens on a port. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  /** The token that requests must carry, if there is one. */
  readonly token?: string;
  close(): Promise<void>;
}

export interface ParsedListenOptions {
  readonly port: number;
  readonly host: string;
  readonly token: string | undefined;
  readonly unprotected: boolean;
}

const MAX_PORT = 65_535;

const parseFields = optionsParser(() =>
  onlyFields({
    port: value<number>(`a whole number from 0 to ${MAX_PORT}`, isPort).default(0),
    host: text().default('127.0.0.1'),
    token: hidden<string>(TOKEN_EXPECTED, isToken, 'is not usable').optional(),
    unprotected: flag().optional(),
  } satisfies OptionsShape<ListenOptions>),
);

/** Validates the options; closed unless exactly one of them opens the port. */
export function parseListenOptions(
  options: ListenOptions,
  settings: Pick<ServerSettings, 'verify' | 'unprotected'>,
): ParsedListenOptions {
  const { port, host, token, unprotected = settings.unprotected } = parseFields(options ?? {});
  if (!settings.verify && !isLoopback(host)) {
    const expected = 'without verify only this machine may be served, on 127.0.0.1, ::1 or localhost';
    throw new TaskError('INVALID_ARGUMENT', `host is ${JSON.stringify(host)}; ${expected}`);
  }
  const ways = { verify: settings.verify, token, unprotected: unprotected || undefined };
  const given = Object.entries(ways).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 0) throw unprotectedListenError();
  if (given.length === 1) return { port, host, token, unprotected };
  const message = `${given.join(' and ')} are given; expected one of them, because each says alone who is let in`;
  throw new TaskError('INVALID_ARGUMENT', message);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function isPort(port: unknown): boolean {
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) <= MAX_PORT;
}
