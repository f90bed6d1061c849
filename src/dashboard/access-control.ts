/**
 * Decides which requests are let in.
 *
 * A page of another site can make a browser send requests here with our cookie. So the requested host name must be one of ours,
 * and requests that change something must come from our own page.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { OPERATOR, type Principal } from '../index.ts';
import type { DashboardSettings } from './dashboard-options.ts';

/** The response to a request that is refused. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

export type Admission = { readonly principal: Principal } | { readonly refusal: Refusal };

const COOKIE = 'holdfast_dashboard';

export class AccessControl {
  readonly #settings: DashboardSettings;

  constructor(settings: DashboardSettings) {
    this.#settings = settings;
  }

  async admit(request: Request): Promise<Admission> {
    const refusal = this.findCrossSiteRefusal(request);
    if (refusal) return { refusal };
    const principal = await this.#identify(request);
    if (principal !== undefined) return { principal };
    return { refusal: { status: 401, message: 'open the page by the address that was printed, which has the token' } };
  }

  /** Returns why a request cannot come from one of our pages; undefined if it can. */
  findCrossSiteRefusal(request: Request): Refusal | undefined {
    const host = request.headers.get('host') ?? new URL(request.url).host;
    const name = host.replace(/:\d+$/, '').toLowerCase();
    if (!this.#settings.hosts.includes(name)) return { status: 403, message: 'this name is not served here' };
    const site = request.headers.get('sec-fetch-site');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (site !== null && site !== 'same-origin' && site !== 'none' && !(isRead && isNavigation(request)))
      return { status: 403, message: 'pages of other sites may not ask here' };
    const origin = request.headers.get('origin');
    if (origin !== null && !isSameHost(origin, host))
      return { status: 403, message: 'pages of other origins may not ask here' };
    if (!isRead && origin === null && request.headers.get('authorization') === null)
      return { status: 403, message: 'a change needs an Origin, as browsers send it, or a bearer token' };
    return undefined;
  }

  /** Returns the cookie for the right token; undefined for any other. */
  exchangeToken(token: string): string | undefined {
    const own = this.#settings.token;
    if (own === undefined || !isEqual(token, own)) return undefined;
    const path = `${this.#settings.base}/`;
    return `${COOKIE}=${toCookie(own)}; Path=${path}; HttpOnly; SameSite=Strict; Max-Age=2592000`;
  }

  async #identify(request: Request): Promise<Principal | undefined> {
    const { token, verify } = this.#settings;
    if (verify) return verify(request);
    if (token === undefined) return OPERATOR;
    const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    if (bearer !== undefined) return isEqual(bearer, token) ? OPERATOR : undefined;
    return listCookies(request).some((cookie) => isEqual(cookie, toCookie(token))) ? OPERATOR : undefined;
  }
}

function isNavigation(request: Request): boolean {
  return request.headers.get('sec-fetch-mode') === 'navigate' && request.headers.get('sec-fetch-dest') === 'document';
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}

/** Returns all cookies of our name, because dashboards on other ports of the machine share their cookies with us. */
function listCookies(request: Request): string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.flatMap(([name, value = '']) => (name === COOKIE ? [value] : []));
}

/** A hash instead of the token: reading the cookie must not reveal the token, which gives access elsewhere too. */
function toCookie(token: string): string {
  return createHmac('sha256', token).update('dashboard cookie').digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(toDigest(one), toDigest(other));
}

function toDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
