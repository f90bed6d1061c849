/** Tasks of MCP 2025-11-25: a call that asks for a task gets one, and four methods read, list and end it. */

import type { Task } from '../../task/record.ts';
import { parseTtl } from '../../task/ttl.ts';
import type { MethodRequest, ServedMethod, ServerDialect } from '../server-dialect.ts';
import type { RpcResult, ServerPort } from '../server-port.ts';
import { withNearEnd } from '../shared/following/near-end.ts';
import { isTask2025 } from '../shared/questions/related-task.ts';
import { TaskFollower } from './follower.ts';
import { cancelTask, getTask, listTasks, taskResult } from './server.ts';
import { listSessionTasks } from './session-tasks.ts';
import { toCreateTaskResult } from './wire.ts';

const NAME = 'tasks-2025';
const SUPPORT = { auto: 'optional', always: 'required', never: 'forbidden' } as const;

export const tasks2025Server: ServerDialect = {
  name: NAME,

  takes: ({ task }) => (task === undefined ? undefined : 'asked'),

  async answer(call) {
    const ttl = call.task?.ttl;
    const options = ttl === undefined ? {} : { ttlMs: parseTtl(ttl) };
    const { engine, task } = await call.submit({ dialect: NAME, options });
    call.channel.follow(NAME, task);
    return toCreateTaskResult(task, engine.now()) as unknown as RpcResult;
  },

  toListing(listing, { caller, tool }) {
    if (caller.era !== 'legacy') return listing;
    return { ...listing, execution: { taskSupport: SUPPORT[tool?.taskMode ?? 'never'] } };
  },

  methods: {
    'tasks/get': serve(async ({ params, caller }, port) =>
      getTask(withNearEnd(await port.openEngine(), port.clock), caller.principal, params),
    ),
    'tasks/list': serve(async ({ params, caller }, port) =>
      listTasks(await port.openEngine(), caller.principal, params),
    ),
    'tasks/cancel': serve(async ({ params, caller: { principal, client } }, port) =>
      cancelTask(await port.openEngine(), { principal, client }, params),
    ),
    'tasks/result': serve(readResult),
  },

  createFollower({ connection, engine, report }) {
    const { questions, notify, principal, sessionId } = connection;
    if (!questions) return undefined;
    const follower = new TaskFollower({ engine, connection: { ...questions, notify }, report });
    return {
      follow: (task) => follower.follow(task),
      resume(task) {
        if (isTask2025(task)) follower.resume(task);
      },
      ...(sessionId !== undefined && { listResumable: () => listSessionTasks(engine, { principal, sessionId }) }),
      close: () => follower.close(),
    };
  },
};

function serve(answer: ServedMethod['answer']): ServedMethod {
  return { era: 'legacy', answer };
}

async function readResult(request: MethodRequest, port: ServerPort): Promise<object> {
  const { params, signal, questions: connection, mark } = request;
  const { principal, client } = request.caller;
  const { resultPolicy: policy, clock } = port;
  const engine = await port.openEngine();
  const onWait = ({ taskId, tool, lastSeq: seq }: Task, wait: boolean | undefined) =>
    mark?.({ taskId, tool, seq, startedAt: clock.now(), result: wait === undefined ? {} : { wait } });
  return taskResult({ engine, principal, policy, client, clock, connection, signal, onWait }, params);
}
