import type { Route } from '../../dashboard/http/route.ts';
import { parseGivenAnswer } from '../../dashboard/routes/task-routes.ts';
import type { Json } from '../../index.ts';
import { invalidField } from '../../invalid-field.ts';
import { isObject } from '../../is-object.ts';
import type { RunAs } from './run-as.ts';
import type { PersonAnswer } from './scene.ts';

const DEFAULT_SPEED = 10;

/** Routes for calls made as other clients. */
export function toRunRoutes(runs: RunAs): readonly Route[] {
  return [
    { method: 'GET', path: '/api/run-as', handle: () => ({ clients: runs.clients, runs: runs.list() }) },
    { method: 'GET', path: '/api/run-as/:runId', handle: ({ params }) => ({ run: runs.get(params.runId ?? '') }) },
    {
      method: 'POST',
      path: '/api/run-as',
      handle({ body }) {
        const { client, tool, args = {}, speed = DEFAULT_SPEED } = body;
        if (typeof client !== 'string') throw invalidField('client', client, 'the name of a client');
        if (typeof tool !== 'string' || tool === '') throw invalidField('tool', tool, 'the name of a tool');
        if (!isObject<Json>(args)) throw invalidField('args', args, 'an object');
        if (typeof speed !== 'number') throw invalidField('speed', speed, 'a number');
        return { run: runs.start({ client, tool, args, speed }) };
      },
    },
    {
      method: 'POST',
      path: '/api/run-as/:runId/stop',
      handle: ({ params }) => ({ run: runs.stop(params.runId ?? '') }),
    },
    {
      method: 'POST',
      path: '/api/run-as/:runId/answer',
      handle({ params, body }) {
        const { key, answer } = parseGivenAnswer(body);
        return { run: runs.answer(params.runId ?? '', key, answer as PersonAnswer) };
      },
    },
  ];
}
