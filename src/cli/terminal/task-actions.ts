import type { Store } from '../../store/contract.ts';
import type { Actor } from '../../task/actor.ts';
import type { TaskEvent } from '../../task/event.ts';

/** One action by a person or program on a task. */
export interface TaskAction {
  readonly what: string;
  readonly by: Actor;
  readonly at: number;
}

const PAGE = 1000;

/** Who did what to a task, from its events; they are gone once the task has expired. */
export async function readTaskActions(store: Store, taskId: string): Promise<TaskAction[]> {
  const acts: TaskAction[] = [];
  for (let afterSeq = 0; ; ) {
    const events = await store.tasks.events(taskId, afterSeq, PAGE);
    acts.push(...events.flatMap(toTaskAction));
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return acts;
    afterSeq = last.seq;
  }
}

function toTaskAction(event: TaskEvent): TaskAction[] {
  if (!('by' in event) || event.by === undefined) return [];
  const { by, at } = event;
  return [{ what: toActionText(event), by, at }];
}

function toActionText(event: Extract<TaskEvent, { by?: Actor }>): string {
  if (event.type === 'answered') return `answered ${event.key}`;
  if (event.type === 'adopted') return 'adopted';
  return event.type === 'ended' ? event.outcome : 'taken over';
}
