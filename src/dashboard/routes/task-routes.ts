import { TaskError } from '../../errors.ts';
import {
  type ActOptions,
  type Answer,
  type EventGap,
  OPERATOR,
  type RerunChanges,
  type Status,
  statuses,
  type Task,
  type TaskClient,
  type TaskEvent,
} from '../../index.ts';
import type { Body } from '../http/request-body.ts';
import type { Route, RouteRequest } from '../http/route.ts';
import { toSummary, withInput } from '../task-summary.ts';
import { cancelMatching, MAX_AT_ONCE } from './cancel-matching.ts';
import { findTasks, type TaskQuery } from './find-tasks.ts';
import { rerunMatching } from './rerun-matching.ts';

const MAX_EVENTS = 1000;
const CLIENT = { name: 'dashboard' };

/** Routes for tasks: list them, read one and its events, cancel, rerun and answer. */
export function toTaskRoutes(client: TaskClient): readonly Route[] {
  const taskOf = ({ params, principal }: RouteRequest) => client.get(params.taskId ?? '', { principal });
  return [
    {
      method: 'GET',
      path: '/api/tasks',
      async handle({ query, principal }) {
        const { tasks, nextCursor, scanned } = await findTasks(client, toFilter(query), principal);
        return { now: client.now(), tasks: tasks.map(toSummary), scanned, ...(nextCursor && { nextCursor }) };
      },
    },
    {
      method: 'GET',
      path: '/api/tasks/:taskId',
      async handle(asked) {
        const task = await taskOf(asked);
        const hasToTell = task.endedAt !== undefined && task.deliver.length > 0;
        return { now: client.now(), task, undelivered: hasToTell ? await client.undelivered(task.taskId) : [] };
      },
    },
    {
      method: 'GET',
      path: '/api/tasks/:taskId/events',
      async handle(asked) {
        const task = await taskOf(asked);
        const after = toWhole(asked.query.get('after'), 'after', 0);
        return { now: client.now(), events: await readEvents(client, task, after) };
      },
    },
    {
      method: 'POST',
      path: '/api/tasks/:taskId/cancel',
      async handle({ params, body, principal }) {
        const reason =
          typeof body.reason === 'string' && body.reason !== '' ? body.reason : 'cancelled on the dashboard';
        const { cancelled, task } = await client.cancel(params.taskId ?? '', { reason, principal, client: CLIENT });
        return { cancelled, task: toSummary(task) };
      },
    },
    {
      method: 'POST',
      path: '/api/cancel-matching',
      handle: ({ body, principal }) => cancelMatching(client, toGivenFilter(body), { principal, client: CLIENT }),
    },
    {
      method: 'POST',
      path: '/api/rerun-matching',
      handle: ({ body, principal }) => rerunMatching(client, toGivenFilter(body), { principal, client: CLIENT }),
    },
    {
      method: 'POST',
      path: '/api/tasks/:taskId/rerun',
      async handle(asked) {
        const changes = toChanges(asked.body, await taskOf(asked));
        const { principal, params } = asked;
        return { task: toSummary(await client.rerun(params.taskId ?? '', { ...changes, principal, client: CLIENT })) };
      },
    },
    {
      method: 'POST',
      path: '/api/tasks/:taskId/answer',
      async handle({ params, body, principal }) {
        const { key, answer } = parseGivenAnswer(body);
        const options: ActOptions = { principal, client: CLIENT };
        const { accepted, task } = await client.answer(params.taskId ?? '', { [key]: answer }, options);
        if (accepted.length === 0)
          throw new TaskError('QUESTION_NOT_OPEN', `question ${JSON.stringify(key)} is not open any more`);
        return { task: toSummary(task) };
      },
    },
  ];
}

/** Parses an answer to a question, as the page sends it. */
export function parseGivenAnswer({ key, action, content }: Body): { readonly key: string; readonly answer: Answer } {
  if (typeof key !== 'string') throw new TaskError('INVALID_ARGUMENT', 'key is no text; expected that of a question');
  if (action === 'decline' || action === 'cancel') return { key, answer: { action } };
  if (action === 'accept') return { key, answer: { action, ...(content !== undefined && { content }) } };
  throw new TaskError('INVALID_ARGUMENT', `action is ${JSON.stringify(action)}; expected accept, decline or cancel`);
}

/** Parses the changes for a rerun, as the page sends them: the arguments are those that the caller gave. */
function toChanges({ fromStep, args }: Body, task: Task): RerunChanges {
  if (fromStep !== undefined && typeof fromStep !== 'string')
    throw new TaskError('INVALID_ARGUMENT', `fromStep is ${JSON.stringify(fromStep)}; expected the name of a step`);
  return {
    ...(fromStep !== undefined && { fromStep }),
    ...(args !== undefined && { args: withInput(task.args, args) }),
  };
}

/** Parses the filter of a list, as the page sends it to act on all that it shows. */
function toGivenFilter(body: Body): TaskQuery {
  const given = Object.entries(body).filter(([, value]) => typeof value === 'string');
  return { ...toFilter(new URLSearchParams(given as [string, string][])), limit: MAX_AT_ONCE };
}

function toFilter(query: URLSearchParams): TaskQuery {
  const status = query.get('status') ?? '';
  if (status !== '' && !statuses.some((one) => one === status))
    throw new TaskError('INVALID_ARGUMENT', `status is ${JSON.stringify(status)}; expected ${statuses.join(', ')}`);
  const texts = ['tool', 'principal', 'cursor'].flatMap((name) => {
    const text = query.get(name);
    return text === null || text === '' ? [] : [[name, text] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...(status !== '' && { status: status as Status }),
    text: query.get('text') ?? '',
    limit: Math.min(500, Math.max(1, toWhole(query.get('limit'), 'limit', 100))),
  };
}

function toWhole(text: string | null, name: string, otherwise: number): number {
  if (text === null || text === '') return otherwise;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new TaskError('INVALID_ARGUMENT', `${name} is ${JSON.stringify(text)}; expected a whole number`);
}

/** Reads the events after a sequence number, up to the newest one now. */
async function readEvents(client: TaskClient, task: Task, afterSeq: number): Promise<(TaskEvent | EventGap)[]> {
  const { taskId, lastSeq } = task;
  const events: (TaskEvent | EventGap)[] = [];
  if (afterSeq >= lastSeq) return events;
  for await (const event of client.watch(taskId, { afterSeq, principal: OPERATOR })) {
    events.push(event);
    const last = event.type === 'gap' ? event.to : event.seq;
    if (last >= lastSeq || events.length >= MAX_EVENTS) break;
  }
  return events;
}
