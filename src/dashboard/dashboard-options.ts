import { TaskError } from '../errors.ts';
import type { Principal } from '../index.ts';
import { callback, flag, hidden, onlyFields, text, value } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';

/** Returns the principal of a request, whose tasks it may see; `OPERATOR` to see all, undefined to refuse the request. */
export type DashboardVerify = (request: Request) => Promise<Principal | undefined> | Principal | undefined;

/** Who may use a dashboard, and where it is served. Exactly one of `token`, `verify` and `unprotected` is required. */
export interface DashboardOptions {
  /**
   * The secret that lets its holder see, and end, everything in the store. It is sent as `Authorization: Bearer …`, or once as
   * `?token=…` in the URL of the page, which turns it into a cookie.
   */
  readonly token?: string;
  /**
   * Authenticates requests with your own system. Whatever it returns, requests that change something must come from the page
   * itself.
   */
  readonly verify?: DashboardVerify;
  /** Lets every client in as the operator. @default false */
  readonly unprotected?: boolean;
  /**
   * Host names, without port, under which the dashboard may be reached. Requests for others are refused, so that pages of other
   * sites cannot make a browser send requests here (DNS rebinding).
   *
   * @default ['127.0.0.1', 'localhost', '[::1]']
   */
  readonly hosts?: readonly string[];
  /** The path that it is served under, such as `/holdfast`. @default '' */
  readonly base?: string;
  /**
   * A directory that stores links to questions, by the hashes of their tokens. Processes that share it accept each other's links.
   *
   * @default none: links are kept in memory, and are lost when the process exits
   */
  readonly links?: string;
}

export interface DashboardSettings {
  readonly token: string | undefined;
  readonly verify: DashboardVerify | undefined;
  readonly hosts: readonly string[];
  readonly base: string;
  readonly links: string | undefined;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const SHORTEST = 16;

const parseFields = optionsParser(() =>
  onlyFields({
    token: hidden<string>(`${SHORTEST} or more of the letters, digits and -._~`, isToken, 'is not usable').optional(),
    verify: callback<DashboardVerify>().optional(),
    unprotected: flag().default(false),
    hosts: value<readonly string[]>('a list of host names', areHosts).optional(),
    base: value<string>('a path such as /holdfast, without a / at its end', isBase).default(''),
    links: text().optional(),
  } satisfies OptionsShape<DashboardOptions>),
);

/** Validates the options; one of them must say how access is granted. */
export function parseDashboardOptions(options: DashboardOptions): DashboardSettings {
  const { token, verify, unprotected, hosts = LOOPBACK, base, links } = parseFields(options ?? {});
  const ways = [token !== undefined, verify !== undefined, unprotected].filter(Boolean).length;
  if (ways !== 1) {
    const says =
      ways === 0 ? 'has none of token, verify and unprotected' : 'has several of token, verify and unprotected';
    throw new TaskError('INVALID_ARGUMENT', `the dashboard ${says}; expected exactly one: it says who is let in`);
  }
  return { token, verify, hosts: hosts.map((host) => host.toLowerCase()), base, links };
}

function isToken(token: unknown): boolean {
  return typeof token === 'string' && token.length >= SHORTEST && /^[\w.~-]+$/.test(token);
}

function areHosts(hosts: unknown): boolean {
  return Array.isArray(hosts) && hosts.length > 0 && hosts.every((host) => text().safeParse(host).success);
}

function isBase(base: unknown): boolean {
  return typeof base === 'string' && /^(\/[\w.~-]+)*$/.test(base);
}
