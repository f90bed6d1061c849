/** Rows of the database, and the records made from them. */
import type { Database } from '../../sqlite/database.ts';
import type { EventType, TaskEvent } from '../../task/event.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';
import type { StoreTime } from '../store-clock.ts';
import type { WrittenEvents } from './written-events.ts';

/** One transaction of the writer: its connection and its time. */
export interface Transaction extends StoreTime {
  readonly db: Database;
  /** Collects the events that are written. */
  readonly written: WrittenEvents;
}

export function readQuestions(db: Database, task: number): Question[] {
  return db
    .all<QuestionRow>(
      'SELECT key, request, asked_at, answer, answered_at FROM question WHERE task = ? ORDER BY row',
      task,
    )
    .map(toQuestion);
}

export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: EventType;
  readonly body: string | null;
}

export function toEvent({ type, body, seq, at }: EventRow): TaskEvent {
  const rest = body === null ? undefined : (JSON.parse(body) as object);
  return Object.assign({ type }, rest, { seq, at }) as TaskEvent;
}

export function toJsonText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** The JSON text of a list; `null` for an empty one. */
export function toListText(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

interface QuestionRow {
  readonly key: string;
  readonly request: string;
  readonly asked_at: number;
  readonly answer: string | null;
  readonly answered_at: number | null;
}

function toQuestion(row: QuestionRow): Question {
  const question: Question = {
    key: row.key,
    request: JSON.parse(row.request) as QuestionRequest,
    askedAt: row.asked_at,
  };
  if (row.answer === null || row.answered_at === null) return question;
  return { ...question, answer: JSON.parse(row.answer) as Answer, answeredAt: row.answered_at };
}
