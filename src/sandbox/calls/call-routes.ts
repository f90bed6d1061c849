import type { Route } from '../../dashboard/http/route.ts';
import { parseGivenAnswer } from '../../dashboard/routes/task-routes.ts';
import { TaskError } from '../../errors.ts';
import type { Json } from '../../index.ts';
import { invalidField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';
import { type CopySource, toCopyTexts } from '../copy/copy-texts.ts';
import type { SandboxServers } from '../sandbox-servers.ts';
import type { CallTracker } from './call-tracker.ts';
import { toListed } from './call-view.ts';

const MAX_LISTED = 500;

export interface CallRouteOptions {
  readonly calls: CallTracker;
  readonly servers: SandboxServers;
  readonly source: CopySource;
}

/** Routes for calls: make, list, read, cancel, detach, attach and answer. */
export function toCallRoutes({ calls, servers, source }: CallRouteOptions): readonly Route[] {
  return [
    { method: 'GET', path: '/api/servers', handle: () => ({ servers: servers.list() }) },
    {
      method: 'GET',
      path: '/api/calls',
      handle: () => ({ calls: calls.list().slice(0, MAX_LISTED).map(toListed) }),
    },
    { method: 'GET', path: '/api/calls/:callId', handle: ({ params }) => ({ call: calls.get(params.callId ?? '') }) },
    {
      method: 'GET',
      path: '/api/calls/:callId/copy',
      handle({ params }) {
        const { server, tool, args } = calls.get(params.callId ?? '');
        if (server !== source.name)
          throw new TaskError('INVALID_ARGUMENT', `${server} is not behind the gateway; only its calls can be copied`);
        return toCopyTexts(source, { tool, args });
      },
    },
    {
      method: 'POST',
      path: '/api/calls',
      async handle({ body }) {
        const { server, tool, args = {}, sessionId } = body;
        if (typeof server !== 'string') throw invalidField('server', server, 'the name of a server');
        if (typeof tool !== 'string' || tool === '') throw invalidField('tool', tool, 'the name of a tool');
        if (!isObject<Json>(args)) throw invalidField('args', args, 'an object');
        if (sessionId !== undefined && typeof sessionId !== 'string')
          throw invalidField('sessionId', sessionId, 'a text');
        servers.check(server);
        return { call: toListed(await calls.call({ server, tool, args, sessionId })) };
      },
    },
    {
      method: 'POST',
      path: '/api/calls/:callId/cancel',
      handle: async ({ params }) => ({ call: toListed(await calls.cancel(params.callId ?? '')) }),
    },
    {
      method: 'POST',
      path: '/api/calls/:callId/detach',
      handle: ({ params }) => ({ call: toListed(calls.detach(params.callId ?? '')) }),
    },
    {
      method: 'POST',
      path: '/api/calls/:callId/attach',
      handle: async ({ params }) => ({ call: toListed(await calls.attach(params.callId ?? '')) }),
    },
    {
      method: 'POST',
      path: '/api/calls/:callId/answer',
      handle({ params, body }) {
        const { key, answer } = parseGivenAnswer(body);
        return { call: toListed(calls.answer(params.callId ?? '', key, answer as never)) };
      },
    },
  ];
}
