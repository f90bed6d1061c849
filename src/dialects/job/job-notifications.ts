import type { EventGap, TaskEvent } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Question } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import { toJobProgress, toQuestionText } from './wire.ts';

type Params = { readonly [key: string]: Json };

/** The notifications of one job: progress never falls, and no notification is repeated. */
export interface JobNotifications {
  readonly task: Task;
  /** Whether the client knows the beginning. */
  readonly isKnown: boolean;
  /** The event number after which the notifications begin. */
  readonly afterSeq: number;
  /** Returns the notification for an event, if any. */
  next(event: TaskEvent | EventGap): Params | undefined;
}

/** Creates the notifications from the beginning, or with `isKnown` only from now on. */
export function createJobNotifications(task: Task, { isKnown = false } = {}): JobNotifications {
  let startedAt = isKnown ? task.startedAt : undefined;
  let share = isKnown ? toShare(task.progress?.value ?? 0, 0) : 0;
  let last = isKnown ? toKey(share, task.progress?.message) : undefined;
  // How long the work has waited for answers comes from the events, not from the record at the start of the notifications.
  const asked = new Map(isKnown ? task.questions.map((question) => [question.key, question]) : []);

  const toProgress = (at: number, value: number, message: string | undefined): Params | undefined => {
    const next = toShare(value, share);
    const key = toKey(next, message);
    if (next < share || key === last) return undefined;
    share = next;
    last = key;
    const { startedAt: _, ...rest } = task;
    const questions = [...asked.values()];
    const running: Task = startedAt === undefined ? rest : { ...rest, status: 'working', startedAt, questions };
    return toJobProgress(running, { value: share, at, ...(message !== undefined && { message }) });
  };

  return {
    task,
    isKnown,
    afterSeq: isKnown ? task.lastSeq : 0,
    next(event) {
      if (event.type === 'claimed') startedAt ??= event.at;
      if (event.type === 'asked') asked.set(event.key, { key: event.key, request: event.request, askedAt: event.at });
      if (event.type === 'answered') answer(asked, event);
      if (event.type === 'progress') return toProgress(event.at, event.value, event.message);
      return event.type === 'asked' ? toProgress(event.at, share, toQuestionText(event.request)) : undefined;
    },
  };
}

function answer(asked: Map<string, Question>, { key, answer: given, at }: TaskEvent & { type: 'answered' }): void {
  const question = asked.get(key);
  if (question) asked.set(key, { ...question, answer: given, answeredAt: at });
}

/** A count without a total says nothing about how far the job is. */
function toShare(value: number, otherwise: number): number {
  return value >= 0 && value <= 1 ? value : otherwise;
}

function toKey(share: number, message: string | undefined): string {
  return `${share} ${message ?? ''}`;
}
