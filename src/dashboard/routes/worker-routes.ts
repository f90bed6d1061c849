import { TaskError } from '../../errors.ts';
import { OPERATOR, type Task, type TaskClient, type WorkerView } from '../../index.ts';
import { isAlive } from '../../process/process-ref.ts';
import type { Route } from '../http/route.ts';

// How many recent tasks are read to find the tools in use, for their histograms.
const RECENT = 200;
const MAX_TOOLS = 12;

/** Shows the workers of the store, the length of its queues, and how long tools take. */
export function toWorkerRoutes(client: TaskClient): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/workers',
      async handle({ principal }) {
        if (principal !== OPERATOR)
          throw new TaskError('TASK_NOT_FOUND', 'only the operator of the store sees its workers');
        const [workers, recent, oldest] = await Promise.all([
          client.workers(),
          client.list({ limit: RECENT }, { principal }),
          client.list({ status: 'queued', limit: RECENT }, { principal }),
        ]);
        const working = await client.list({ status: 'working', limit: RECENT }, { principal });
        const asking = await client.list({ status: 'input_required', limit: RECENT }, { principal });
        const held = [...working.tasks, ...asking.tasks];
        return {
          now: client.now(),
          workers: workers.map((worker) => toShown(worker, held)),
          queues: await toQueues(client, { workers, queued: oldest.tasks, recent: recent.tasks }),
          tools: await toTools(client, recent.tasks),
        };
      },
    },
  ];
}

function toShown(worker: WorkerView, held: readonly Task[]) {
  const tasks = held.filter((task) => task.worker === worker.workerId);
  return {
    ...worker,
    isGone: worker.process !== undefined && isAlive(worker.process) === false,
    tasks: tasks.map(({ taskId, tool, status }) => ({ taskId, tool, status })),
  };
}

interface Seen {
  readonly workers: readonly WorkerView[];
  readonly queued: readonly Task[];
  readonly recent: readonly Task[];
}

async function toQueues(client: TaskClient, { workers, queued, recent }: Seen) {
  const identities = new Set([...workers, ...queued, ...recent].map(({ identity }) => identity));
  return Promise.all(
    [...identities].slice(0, MAX_TOOLS).map(async (identity) => {
      const oldest = queued.filter((task) => task.identity === identity).at(-1);
      return { identity, ...(await client.backlog(identity)), ...(oldest && { oldestAt: oldest.createdAt }) };
    }),
  );
}

async function toTools(client: TaskClient, recent: readonly Task[]) {
  const keys = new Map(recent.map((task) => [`${task.identity} ${task.tool} ${task.principal}`, task]));
  const runs = [...keys.values()].slice(0, MAX_TOOLS).map(async ({ identity, tool, principal }) => {
    return { tool, principal, identity, durations: await client.durations({ identity, tool, principal }) };
  });
  return (await Promise.all(runs)).filter(({ durations }) => durations.length > 0);
}
