import type { TaskClient } from '../index.ts';
import { reportToStderr } from '../stderr.ts';
import { AccessControl } from './access-control.ts';
import { type DashboardOptions, parseDashboardOptions } from './dashboard-options.ts';
import { EventHub } from './events/event-hub.ts';
import { openEventStream } from './events/event-stream.ts';
import { TaskFeed } from './events/task-feed.ts';
import { toAnswer, toFailure, toJsonAnswer, toTextAnswer } from './http/answers.ts';
import { readAsset, readPage } from './http/assets.ts';
import { readBody } from './http/request-body.ts';
import { matchPath, type Route, type RouteRequest } from './http/route.ts';
import { AnswerLinks } from './links/answer-links.ts';
import { isAnswerPath, serveAnswerPage } from './links/answer-page.ts';
import { toLinkRoutes } from './links/link-routes.ts';
import { createFileLinkStore, createMemoryLinkStore } from './links/link-store.ts';
import { toArtifactRoutes } from './routes/artifact-routes.ts';
import { toTaskRoutes } from './routes/task-routes.ts';
import { toWorkerRoutes } from './routes/worker-routes.ts';

/** A web page that shows the tasks of a store. */
export interface Dashboard {
  /** Serves one request: the page, its data, or its event stream. Works in any framework that uses the web's `fetch` API. */
  fetch(request: Request): Promise<Response>;
  /** Ends open streams and unsubscribes from the store, which stays open. */
  close(): void;
}

/** Extensions that a program can add to the dashboard. */
export interface DashboardExtensions {
  /** What the page can do in this program. */
  readonly features: Readonly<Record<string, unknown>>;
  readonly routes: readonly Route[];
  readonly hub: EventHub;
}

/**
 * Creates a dashboard for an engine, or for a task client of a store. It shows what the client shows: secrets are masked.
 *
 * @example const dashboard = createDashboard(engine, { token }); app.all('/*', (c) => dashboard.fetch(c.req.raw));
 */
export function createDashboard(client: TaskClient, options: DashboardOptions): Dashboard {
  return openDashboard(client, options, { features: { mode: 'dashboard' }, routes: [], hub: new EventHub() });
}

/** Like `createDashboard`, with extensions. */
export function openDashboard(
  client: TaskClient,
  options: DashboardOptions,
  extensions: DashboardExtensions,
): Dashboard {
  const settings = parseDashboardOptions(options);
  const { hub } = extensions;
  const access = new AccessControl(settings);
  const feed = new TaskFeed({ client, hub, report: reportToStderr });
  const closing = new AbortController();
  const linkStore = settings.links === undefined ? createMemoryLinkStore() : createFileLinkStore(settings.links);
  const links = new AnswerLinks(client, linkStore);
  const routes: readonly Route[] = [
    { method: 'GET', path: '/api/state', handle: () => ({ now: client.now(), ...extensions.features }) },
    ...toTaskRoutes(client),
    ...toArtifactRoutes(client),
    ...toWorkerRoutes(client),
    ...toLinkRoutes(client, links),
    ...extensions.routes,
    {
      method: 'GET',
      path: '/api/events',
      handle({ request, query, principal }) {
        const onClosed = feed.open();
        const after = request.headers.get('last-event-id') ?? query.get('after') ?? undefined;
        const signal = AbortSignal.any([request.signal, closing.signal]);
        return openEventStream(hub, { after, principal, signal, onClosed });
      },
    },
  ];
  return {
    fetch: (request) => serve({ access, routes, links, base: settings.base }, request).catch(toFailure),
    close() {
      closing.abort();
      feed.close();
    },
  };
}

interface RequestContext {
  readonly access: AccessControl;
  readonly routes: readonly Route[];
  readonly links: AnswerLinks;
  readonly base: string;
}

async function serve({ access, routes, links, base }: RequestContext, request: Request): Promise<Response> {
  const { pathname, search, searchParams: query } = new URL(request.url);
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return toTextAnswer('not found', 404);
  const path = pathname.slice(base.length);
  if (path === '') return toAnswer(null, 303, { location: `${base}/${search}` });
  const token = query.get('token');
  if (path === '/' && token !== null) return exchangeToken(access, { request, token, base });
  if (isAnswerPath(path)) return serveSameSite(access, request, () => serveAnswerPage(links, request, { path, base }));
  const admission = await access.admit(request);
  if ('refusal' in admission) return toTextAnswer(admission.refusal.message, admission.refusal.status);
  if (!path.startsWith('/api/')) return servePage(request, path);
  return serveRoute(routes, { request, path, query, principal: admission.principal });
}

interface ApiRequest extends Pick<RouteRequest, 'request' | 'query' | 'principal'> {
  readonly path: string;
}

async function serveRoute(
  routes: readonly Route[],
  { request, path, query, principal }: ApiRequest,
): Promise<Response> {
  const matching = routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params ? [{ route, params }] : [];
  });
  const found = matching.find(({ route }) => route.method === request.method);
  if (!found)
    return toTextAnswer(matching.length > 0 ? 'method not allowed' : 'not found', matching.length > 0 ? 405 : 404);
  const body = request.method === 'POST' ? await readBody(request) : {};
  const routeRequest: RouteRequest = { params: found.params, query, body, principal, request };
  const answer = await found.route.handle(routeRequest);
  return answer instanceof Response ? answer : toJsonAnswer(answer ?? {});
}

/** Exchanges the token for a cookie and redirects, so that the token leaves the address bar and the browser history. */
function exchangeToken(
  access: AccessControl,
  { request, token, base }: { request: Request; token: string; base: string },
): Response {
  const refusal = access.findCrossSiteRefusal(request);
  if (refusal) return toTextAnswer(refusal.message, refusal.status);
  const cookie = access.exchangeToken(token);
  if (cookie === undefined) return toTextAnswer('this token is not the one of this dashboard', 401);
  return toAnswer(null, 303, { location: `${base}/`, 'set-cookie': cookie });
}

/** A link is sufficient without the dashboard's token; requests from other sites are refused all the same. */
function serveSameSite(
  access: AccessControl,
  request: Request,
  serveIt: () => Promise<Response>,
): Response | Promise<Response> {
  const refusal = access.findCrossSiteRefusal(request);
  return refusal ? toTextAnswer(refusal.message, refusal.status) : serveIt();
}

function servePage(request: Request, path: string): Response | Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return toTextAnswer('method not allowed', 405);
  return path === '/' ? readPage() : readAsset(path.slice(1));
}
