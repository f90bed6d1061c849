import type { TaskClient } from '../index.ts';
import { reportToStderr } from '../stderr.ts';
import { type DashboardOptions, parseDashboardOptions } from './dashboard-options.ts';
import { EventHub } from './events/event-hub.ts';
import { openEventStream } from './events/event-stream.ts';
import { TaskFeed } from './events/task-feed.ts';
import { Gate } from './gate.ts';
import { toAnswer, toFailure, toJsonAnswer, toTextAnswer } from './http/answers.ts';
import { readAsset, readPage } from './http/assets.ts';
import { readBody } from './http/request-body.ts';
import { type Asked, matchPath, type Route } from './http/route.ts';
import { AnswerLinks } from './links/answer-links.ts';
import { isAnswerPath, serveAnswerPage } from './links/answer-page.ts';
import { toLinkRoutes } from './links/link-routes.ts';
import { createFileShelf, createMemoryShelf } from './links/link-shelf.ts';
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
export interface DashboardRooms {
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
export function openDashboard(client: TaskClient, options: DashboardOptions, rooms: DashboardRooms): Dashboard {
  const settings = parseDashboardOptions(options);
  const { hub } = rooms;
  const gate = new Gate(settings);
  const feed = new TaskFeed({ client, hub, report: reportToStderr });
  const closing = new AbortController();
  const shelf = settings.links === undefined ? createMemoryShelf() : createFileShelf(settings.links);
  const links = new AnswerLinks(client, shelf);
  const routes: readonly Route[] = [
    { method: 'GET', path: '/api/state', handle: () => ({ now: client.now(), ...rooms.features }) },
    ...toTaskRoutes(client),
    ...toArtifactRoutes(client),
    ...toWorkerRoutes(client),
    ...toLinkRoutes(client, links),
    ...rooms.routes,
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
    fetch: (request) => serve({ gate, routes, links, base: settings.base }, request).catch(toFailure),
    close() {
      closing.abort();
      feed.close();
    },
  };
}

interface Serving {
  readonly gate: Gate;
  readonly routes: readonly Route[];
  readonly links: AnswerLinks;
  readonly base: string;
}

async function serve({ gate, routes, links, base }: Serving, request: Request): Promise<Response> {
  const { pathname, search, searchParams: query } = new URL(request.url);
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return toTextAnswer('not found', 404);
  const path = pathname.slice(base.length);
  if (path === '') return toAnswer(null, 303, { location: `${base}/${search}` });
  const token = query.get('token');
  if (path === '/' && token !== null) return letIn(gate, { request, token, base });
  if (isAnswerPath(path)) return letAnswer(gate, request, () => serveAnswerPage(links, request, { path, base }));
  const admission = await gate.admit(request);
  if ('refusal' in admission) return toTextAnswer(admission.refusal.message, admission.refusal.status);
  if (!path.startsWith('/api/')) return servePage(request, path);
  return serveRoute(routes, { request, path, query, principal: admission.principal });
}

interface Wanted extends Pick<Asked, 'request' | 'query' | 'principal'> {
  readonly path: string;
}

async function serveRoute(routes: readonly Route[], { request, path, query, principal }: Wanted): Promise<Response> {
  const matching = routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params ? [{ route, params }] : [];
  });
  const found = matching.find(({ route }) => route.method === request.method);
  if (!found)
    return toTextAnswer(matching.length > 0 ? 'method not allowed' : 'not found', matching.length > 0 ? 405 : 404);
  const body = request.method === 'POST' ? await readBody(request) : {};
  const asked: Asked = { params: found.params, query, body, principal, request };
  const answer = await found.route.handle(asked);
  return answer instanceof Response ? answer : toJsonAnswer(answer ?? {});
}

/** Exchanges the token for a cookie and redirects, so that the token leaves the address bar and the browser history. */
function letIn(gate: Gate, { request, token, base }: { request: Request; token: string; base: string }): Response {
  const foreign = gate.findForeign(request);
  if (foreign) return toTextAnswer(foreign.message, foreign.status);
  const cookie = gate.exchange(token);
  if (cookie === undefined) return toTextAnswer('this token is not the one of this dashboard', 401);
  return toAnswer(null, 303, { location: `${base}/`, 'set-cookie': cookie });
}

/** A link is sufficient without the dashboard's token; requests from other sites are refused all the same. */
function letAnswer(gate: Gate, request: Request, serveIt: () => Promise<Response>): Response | Promise<Response> {
  const foreign = gate.findForeign(request);
  return foreign ? toTextAnswer(foreign.message, foreign.status) : serveIt();
}

function servePage(request: Request, path: string): Response | Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return toTextAnswer('method not allowed', 405);
  return path === '/' ? readPage() : readAsset(path.slice(1));
}
