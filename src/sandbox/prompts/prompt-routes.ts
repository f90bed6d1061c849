import type { Route } from '../../dashboard/http/route.ts';
import { TaskError } from '../../errors.ts';
import type { Json } from '../../index.ts';
import { isObject } from '../../is-object.ts';
import type { AsyncTaskTest } from './async-task-test.ts';
import type { PromptLogView } from './prompt-log-view.ts';

/** Routes for the prompt log, and for the test of calls that are answered through it. */
export function toPromptRoutes(promptLog: PromptLogView, test: AsyncTaskTest): readonly Route[] {
  return [
    { method: 'GET', path: '/api/prompts', handle: () => promptLog.list() },
    {
      method: 'POST',
      path: '/api/prompts/answer',
      async handle({ body }) {
        const { requestId, answer, cancel } = body;
        if (typeof requestId !== 'string')
          throw new TaskError('INVALID_ARGUMENT', 'requestId is no text; expected one');
        await promptLog.respond(requestId, cancel === true ? undefined : (answer ?? {}));
        return promptLog.list();
      },
    },
    {
      method: 'GET',
      path: '/api/async-test',
      handle: async () => ({ paths: await promptLog.readPaths(), lines: test.lines }),
    },
    {
      method: 'POST',
      path: '/api/async-test',
      handle({ body }) {
        const { server, tool, args = {} } = body;
        if (!isObject<Json>(args)) throw new TaskError('INVALID_ARGUMENT', 'args is no object; expected one');
        return test.run({ ...toText('server', server), ...toText('tool', tool), args });
      },
    },
    {
      method: 'GET',
      path: '/api/prompts/explain',
      handle: ({ query }) => promptLog.explain(query.get('taskId') ?? ''),
    },
  ];
}

function toText(name: 'server' | 'tool', value: Json | undefined) {
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}
