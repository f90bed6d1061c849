import type { Engine } from '../../engine/engine.ts';
import { isTaskError } from '../../errors.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import type { ClientName } from '../../task/actor.ts';
import type { Task } from '../../task/record.ts';
import { RpcFailure } from '../shared/outcomes/rpc-failure.ts';
import { toAnswers } from '../shared/questions/input-requests.ts';
import type { InputCapabilities } from '../shared/questions/mcp-input.ts';
import { type Task2026, toDetailedTask } from './wire.ts';

/** The task that a request names, and its owner. */
export interface TaskAddress {
  readonly principal: string;
  readonly taskId: string;
  /** The client that sent the request, by the name it reports. */
  readonly client?: ClientName | undefined;
}

/** `tasks/get`, as a client with these capabilities may see it. */
export async function getTask(
  engine: Pick<Engine, 'get' | 'now'>,
  address: TaskAddress,
  capabilities: InputCapabilities,
): Promise<Task2026> {
  return toDetailedTask(await findTask(engine, address), { capabilities, now: engine.now() });
}

/** `tasks/cancel`: acknowledged whether or not there is anything left to cancel. */
export async function cancelTask(engine: Engine, address: TaskAddress): Promise<void> {
  await findTask(engine, address);
  const { taskId, ...who } = address;
  await engine.cancel(taskId, { ...who, reason: 'cancelled by the client' });
}

/** `tasks/update`: answers the open questions; other keys are ignored, as the specification asks. */
export async function updateTask(
  engine: Engine,
  address: TaskAddress,
  inputResponses: { readonly [key: string]: unknown },
): Promise<void> {
  for (;;) {
    const answers = toAnswers(await findTask(engine, address), inputResponses);
    if (Object.keys(answers).length === 0) return;
    try {
      const { taskId, ...who } = address;
      await engine.answer(taskId, answers, who);
      return;
    } catch (error) {
      // Another client answered one of them in between: that key is ignored like any other, and the rest must not be
      // lost.
      if (!isTaskError(error, 'QUESTION_NOT_OPEN')) throw error;
    }
  }
}

async function findTask(engine: Pick<Engine, 'get'>, { taskId, principal }: TaskAddress): Promise<Task> {
  try {
    return await engine.get(taskId, { principal });
  } catch (error) {
    if (isTaskError(error, 'TASK_NOT_FOUND'))
      throw new RpcFailure(RPC_CODES.INVALID_PARAMS, 'Failed to retrieve task: Task not found');
    throw error;
  }
}
