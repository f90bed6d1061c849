/** Tasks of 2026-07-28: a client that declares the extension gets a handle for work that takes longer than a moment. */
import { z } from 'zod';
import type { Engine } from '../../engine/engine.ts';
import type { EventGap, TaskEvent } from '../../task/event.ts';
import type { Task } from '../../task/record.ts';
import { isTerminal } from '../../task/status.ts';
import type { MethodRequest, ServedMethod, ServerDialect } from '../server-dialect.ts';
import type { CheckedCall, ServerPort, Submitted } from '../server-port.ts';
import { withNearEnd } from '../shared/following/near-end.ts';
import { toFinalResult } from '../shared/outcomes/final-result.ts';
import { missingExtensionError } from '../shared/tasks-extension.ts';
import { createEventForwarder } from './event-forwarder.ts';
import { cancelTask, getTask, type TaskAddress, updateTask } from './server.ts';
import { findTasks, parseTaskFilter, TaskSubscription, withTaskIds } from './subscription.ts';
import { waitBriefly } from './wait-briefly.ts';
import { toCreateTaskResult } from './wire.ts';

const NAME = 'tasks-2026';

export const tasks2026Server: ServerDialect = {
  name: NAME,

  takes: ({ caller }) => (caller.declaresTasks ? 'asked' : undefined),

  answersAtOnce: true,

  async answer(call, port) {
    const submitted = await call.submit({ dialect: NAME });
    const { engine } = submitted;
    if (call.tool.taskMode === 'always') return { ...toCreateTaskResult(submitted.task, engine.now()) };
    const task = await waitForHandle(call, submitted, port);
    return isTerminal(task.status) ? toFinalResult(task) : { ...toCreateTaskResult(task, engine.now()) };
  },

  methods: {
    'tasks/get': serve((engine, address, { request, port }) =>
      getTask(withNearEnd(engine, port.clock), address, request.caller.capabilities),
    ),
    'tasks/cancel': serve((engine, address) => cancelTask(engine, address).then(() => undefined)),
    'tasks/update': serve((engine, address, { request }) =>
      updateTask(engine, address, request.inputResponses).then(() => undefined),
    ),
  },

  subscriptions: {
    takes: (params) =>
      (params as { notifications?: { taskIds?: unknown } } | undefined)?.notifications?.taskIds !== undefined,

    async open({ id: subscriptionId, params, principal }, port) {
      const { taskIds, capabilities } = parseTaskFilter(params);
      const engine = await port.openEngine();
      const found = await findTasks(engine, principal, taskIds);
      // Only the ids are kept: the results must not stay in memory for as long as the subscription lasts.
      const tasks = found.map(({ taskId }) => ({ taskId, principal }));
      let subscription: TaskSubscription | undefined;
      let isClosed = false;
      return {
        acknowledge: (acknowledgement) => withTaskIds(acknowledgement, tasks),
        async run(send) {
          if (isClosed) return;
          const { report } = port;
          subscription = new TaskSubscription({ engine, subscriptionId, tasks, capabilities, send, report });
          await subscription.run();
        },
        close() {
          isClosed = true;
          subscription?.close();
        },
      };
    },
  },
};

/**
 * Waits briefly for a result. Until it has the handle a client can only cancel the request; after that only
 * `tasks/cancel` ends the task.
 */
async function waitForHandle(call: CheckedCall, submitted: Submitted, port: ServerPort): Promise<Task> {
  const { channel, caller, tool } = call;
  const { engine, task } = submitted;
  const { taskId, principal } = task;
  const stopListening = channel.onGone((gone) => {
    if (gone.kind !== 'cancelled') return;
    engine.cancel(taskId, { principal, client: caller.client, reason: gone.reason }).catch(port.report);
  });
  try {
    const maxMs = port.handOverAfterMs(call);
    const forward = createEventForwarder(channel);
    // A failed notification is ignored: the waiting client notices its broken connection, and the task continues.
    const isKept = (event: TaskEvent | EventGap) => event.type === 'log' && tool.definition.logs === 'keep';
    const onEvent = async (event: TaskEvent | EventGap) => {
      if (!isKept(event)) await forward(event).catch(() => {});
    };
    return await waitBriefly(submitted, { ms: tool.inlineMs, maxMs, clock: port.clock, onEvent });
  } finally {
    stopListening();
  }
}

interface Asked {
  readonly request: MethodRequest;
  readonly port: ServerPort;
}

type Answer = (engine: Engine, address: TaskAddress, asked: Asked) => Promise<object | undefined>;

function serve(answer: Answer): ServedMethod {
  return {
    era: 'modern',
    params: z.looseObject({ taskId: z.string() }),
    async answer(request, port) {
      const { declaresTasks, principal, client } = request.caller;
      if (!declaresTasks) throw missingExtensionError();
      const engine = await port.openEngine();
      const taskId = request.params.taskId as string;
      return answer(engine, { taskId, principal, client }, { request, port });
    },
  };
}
