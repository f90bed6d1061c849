/** Converts a task's history into spans on one time axis. Pure, so that it can be tested without a page. */
import type { WaitingMessage } from '../../../src/store/contracts/outbox-contract.ts';
import type { EventGap, TaskEvent } from '../../../src/task/event.ts';
import type { Task } from '../../../src/task/record.ts';

export type SpanKind = 'queue' | 'attempt' | 'step' | 'process' | 'question' | 'delivery';

/** How a span ended. */
export type SpanEnd = 'open' | 'good' | 'bad' | 'lost' | 'left';

export interface Span {
  readonly kind: SpanKind;
  /** The number of an attempt, the name of a step or a program, the key of a question, or a topic. */
  readonly name: string;
  readonly from: number;
  /** Equal to `from` for an instantaneous event. */
  readonly to: number;
  readonly end: SpanEnd;
  /**
   * Why an attempt ended early, how a program exited, how often a delivery was tried, or that a step was kept from an earlier
   * task.
   */
  readonly note?: string;
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly spans: readonly Span[];
  readonly queueMs: number;
  readonly workMs: number;
  readonly waitMs: number;
}

interface Reading {
  readonly spans: Span[];
  queuedAt: number | undefined;
  attempt: { readonly n: number; readonly from: number; readonly worker: string } | undefined;
  stepFrom: number;
  readonly asked: Map<string, number>;
  readonly running: Map<number, { readonly from: number; readonly command: string }>;
}

/** The current time, and the messages that have not been delivered yet. */
export interface Seen {
  readonly now: number;
  readonly undelivered?: readonly Pick<WaitingMessage, 'topic' | 'tries'>[];
}

/** Reads the events in order; open spans extend to `now`. */
export function toTimeline(
  task: Task,
  events: readonly (TaskEvent | EventGap)[],
  { now, undelivered = [] }: Seen,
): Timeline {
  const reading: Reading = {
    spans: [],
    queuedAt: task.createdAt,
    attempt: undefined,
    stepFrom: task.createdAt,
    asked: new Map(),
    running: new Map(),
  };
  for (const event of events) if (event.type !== 'gap') read(reading, event);
  const end = task.endedAt ?? now;
  closeQueue(reading, end, 'open');
  closeAttempt(reading, end, task.endedAt === undefined ? { end: 'open' } : { end: 'left' });
  for (const [key, from] of reading.asked)
    reading.spans.push({ kind: 'question', name: key, from, to: end, end: 'open' });
  closeProcesses(reading, end, task.endedAt === undefined ? 'open' : 'left');
  if (task.endedAt !== undefined) reading.spans.push(...toDeliveries(task, task.endedAt, { now, undelivered }));
  const spans = reading.spans.sort((a, b) => a.from - b.from || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  const waitMs = sum(spans, 'question');
  return {
    ...{ from: task.createdAt, to: Math.max(...spans.map(({ to }) => to), task.createdAt + 1), spans, waitMs },
    queueMs: sum(spans, 'queue'),
    workMs: Math.max(0, sum(spans, 'attempt') - waitMs),
  };
}

const ORDER: readonly SpanKind[] = ['queue', 'attempt', 'step', 'process', 'question', 'delivery'];

function sum(spans: readonly Span[], kind: SpanKind): number {
  return spans.filter((span) => span.kind === kind).reduce((total, { from, to }) => total + to - from, 0);
}

function read(reading: Reading, event: TaskEvent): void {
  const { at } = event;
  switch (event.type) {
    case 'claimed':
      closeQueue(reading, at, 'good');
      closeAttempt(reading, at, { end: 'lost' });
      reading.attempt = { n: event.attempt, from: at, worker: event.worker };
      reading.stepFrom = at;
      return;
    case 'requeued':
      closeAttempt(reading, at, { end: LOST.includes(event.reason) ? 'lost' : 'left', note: event.reason });
      reading.queuedAt = at;
      return;
    case 'parked':
      closeAttempt(reading, at, { end: 'left', note: 'parked' });
      return;
    case 'stepped':
      // Steps before the first attempt were kept from the task that this one reruns.
      reading.spans.push({
        ...{ kind: 'step', name: event.name, from: reading.stepFrom, to: at, end: 'good' },
        ...(!reading.attempt && { note: 'kept' }),
      });
      reading.stepFrom = at;
      return;
    case 'spawned':
      reading.running.set(event.pid, { from: at, command: event.command });
      return;
    case 'exited':
      closeProcess(reading, event);
      return;
    case 'asked':
      reading.asked.set(event.key, at);
      return;
    case 'answered':
      closeQuestion(reading, event.key, { at, isGood: event.answer.action === 'accept' });
      return;
    case 'ended':
      closeQueue(reading, at, 'good');
      closeAttempt(reading, at, { end: event.status === 'completed' ? 'good' : 'bad' });
      return;
    default:
      return;
  }
}

const LOST: readonly string[] = ['worker-lost', 'suspect', 'crashed'];

function closeQueue(reading: Reading, at: number, end: SpanEnd): void {
  if (reading.queuedAt === undefined) return;
  reading.spans.push({ kind: 'queue', name: '', from: reading.queuedAt, to: at, end });
  reading.queuedAt = undefined;
}

function closeAttempt(reading: Reading, at: number, how: Pick<Span, 'end' | 'note'>): void {
  if (!reading.attempt) return;
  // A program does not outlive its attempt.
  if (how.end !== 'open') closeProcesses(reading, at, how.end === 'lost' ? 'lost' : 'left');
  const { n, from } = reading.attempt;
  reading.spans.push({ kind: 'attempt', name: String(n), from, to: at, ...how });
  reading.attempt = undefined;
}

function closeQuestion(reading: Reading, key: string, { at, isGood }: { at: number; isGood: boolean }): void {
  const from = reading.asked.get(key);
  if (from === undefined) return;
  reading.asked.delete(key);
  reading.spans.push({ kind: 'question', name: key, from, to: at, end: isGood ? 'good' : 'bad' });
}

function closeProcess(reading: Reading, { pid, at, code, signal }: Extract<TaskEvent, { type: 'exited' }>): void {
  const known = reading.running.get(pid);
  if (!known) return;
  reading.running.delete(pid);
  const isGood = code === 0;
  const note = isGood ? {} : { note: signal ?? `exit ${code}` };
  reading.spans.push({
    kind: 'process',
    name: toProcessName(pid, known.command),
    from: known.from,
    to: at,
    end: isGood ? 'good' : 'bad',
    ...note,
  });
}

function closeProcesses(reading: Reading, at: number, end: SpanEnd): void {
  for (const [pid, { from, command }] of reading.running)
    reading.spans.push({ kind: 'process', name: toProcessName(pid, command), from, to: at, end });
  reading.running.clear();
}

function toProcessName(pid: number, command: string): string {
  return `${command} ${pid}`;
}

/** Delivery times are not recorded: a message that is not waiting any more was delivered some time after the end. */
function toDeliveries({ deliver }: Task, endedAt: number, { now, undelivered = [] }: Seen): Span[] {
  const waiting = [...undelivered];
  return deliver.map(({ topic }) => {
    const at = waiting.findIndex((message) => message.topic === topic);
    if (at < 0) return { kind: 'delivery', name: topic, from: endedAt, to: endedAt, end: 'good' };
    const [message] = waiting.splice(at, 1);
    return { kind: 'delivery', name: topic, from: endedAt, to: now, end: 'open', note: `${message?.tries ?? 0} ×` };
  });
}
