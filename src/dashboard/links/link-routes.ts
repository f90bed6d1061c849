import { TaskError } from '../../errors.ts';
import type { TaskClient } from '../../index.ts';
import type { Route } from '../http/route.ts';
import type { AnswerLinks } from './answer-links.ts';

/** Creates links, for principals who may answer the question themselves. */
export function toLinkRoutes(client: TaskClient, links: AnswerLinks): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/tasks/:taskId/link',
      async handle({ params, body: { key }, principal }) {
        if (typeof key !== 'string')
          throw new TaskError('INVALID_ARGUMENT', 'key is no text; expected that of a question');
        const task = await client.get(params.taskId ?? '', { principal });
        // A browser never sends the part after # to a server, so it is in no log.
        return { path: `answer/#${await links.make(task, key, principal)}` };
      },
    },
  ];
}
