import { useEffect, useRef, useState } from 'preact/hooks';
import type { WaitingMessage } from '../../../src/store/contracts/outbox-contract.ts';
import type { EventGap, TaskEvent } from '../../../src/task/event.ts';
import type { Task } from '../../../src/task/record.ts';
import { get, toMessage } from '../live/api.ts';
import { live } from '../live/live.ts';

type Entry = TaskEvent | EventGap;

export interface WholeTask {
  readonly task: Task | undefined;
  readonly events: readonly Entry[];
  /** Messages of its outcome that have not been delivered yet. */
  readonly undelivered: readonly WaitingMessage[];
  readonly problem: string;
}

interface ReadTask {
  readonly task: Task;
  readonly now: number;
  readonly undelivered: readonly WaitingMessage[];
}

const MAX_ROUNDS = 50;

/** One task with all its events; new events are read from the last sequence number on. */
export function useTask(taskId: string): WholeTask {
  const [whole, setWhole] = useState<WholeTask>({ task: undefined, events: [], undelivered: [], problem: '' });
  const events = useRef<Entry[]>([]);
  const reading = useRef<Promise<void>>(Promise.resolve());
  useEffect(() => {
    let isOpen = true;
    const read = async () => {
      if (!isOpen) return;
      try {
        const { task, now, undelivered } = await get<ReadTask>(`tasks/${encodeURIComponent(taskId)}`);
        live.learnTime(now);
        await readEvents(taskId, events.current, task.lastSeq);
        if (isOpen) setWhole({ task, events: [...events.current], undelivered, problem: '' });
      } catch (error) {
        if (isOpen) setWhole((before) => ({ ...before, problem: toMessage(error) }));
      }
    };
    // Reads run one after the other, so that no event is read twice.
    const next = () => {
      reading.current = reading.current.then(read);
    };
    next();
    const stopTask = live.on('task', (task) => task.taskId === taskId && next());
    const stopReload = live.on('tasks', next);
    return () => {
      isOpen = false;
      stopTask();
      stopReload();
    };
  }, [taskId]);
  return whole;
}

async function readEvents(taskId: string, known: Entry[], lastSeq: number): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS && toLast(known) < lastSeq; round += 1) {
    const path = `tasks/${encodeURIComponent(taskId)}/events?after=${toLast(known)}`;
    const { events } = await get<{ events: readonly Entry[] }>(path);
    if (events.length === 0) return;
    known.push(...events);
  }
}

function toLast(events: readonly Entry[]): number {
  const last = events.at(-1);
  if (last === undefined) return 0;
  return last.type === 'gap' ? last.to : last.seq;
}
