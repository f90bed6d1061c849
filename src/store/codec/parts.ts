/**
 * Finds the payloads of a task: each is passed to `part` with the name of its field, and replaced by the result.
 *
 * Times, statuses, names, numbers and our own error codes stay in plain text, because stores decide by them. The message of
 * an outcome has the same field name everywhere, because stores copy it to the record, the last event and the tombstone.
 */
import { isSealed } from '../../codec/sealer.ts';
import { isTaskErrorCode } from '../../errors.ts';
import type { AttemptBody, EventBody } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Outcome, OutcomeError } from '../../task/outcome.ts';
import type { Answer, Question, QuestionRequest } from '../../task/question.ts';
import type { Delivery, Progress, Task } from '../../task/record.ts';
import type { ArtifactPlace } from '../contracts/artifact-contract.ts';

/** Seals, opens or recodes one payload. */
export type Part = <T>(value: T, field: string) => T;

const TEXT = 'text';

export function mapTask(task: Task, part: Part): Task {
  const args = mapArgs(task.args, task.principal, part);
  const questions = mapQuestions(task.questions, part);
  const deliver = mapDeliver(task.deliver, part);
  const statusMessage = task.statusMessage === undefined ? undefined : part(task.statusMessage, TEXT);
  const progress = task.progress === undefined ? undefined : mapProgress(task.progress, part);
  const outcome = task.outcome === undefined ? undefined : mapOutcome(task.outcome, part);
  const isSame =
    args === task.args &&
    questions === task.questions &&
    deliver === task.deliver &&
    statusMessage === task.statusMessage &&
    progress === task.progress &&
    outcome === task.outcome;
  // Most tasks have nothing sealed, and copying a record costs more than this check.
  if (isSame) return task;
  return Object.assign({}, task, {
    ...{ args, questions, deliver },
    ...(statusMessage !== undefined && { statusMessage }),
    ...(progress !== undefined && { progress }),
    ...(outcome !== undefined && { outcome }),
  });
}

/** Bound to the principal too: a task that was reassigned to another principal cannot be decoded. */
export function mapArgs(args: Json, principal: string, part: Part): Json {
  // A tombstone has no arguments.
  return args === null ? null : part(args, `args\n${principal}`);
}

export function mapDeliver(deliver: readonly Delivery[], part: Part): readonly Delivery[] {
  if (deliver.length === 0) return deliver;
  return deliver.map((one) => (one.data === undefined ? one : { ...one, data: mapMessage(one.topic, one.data, part) }));
}

/** Stores copy the data of a delivery from the task to the outbox. */
export function mapMessage(topic: string, data: Json, part: Part): Json {
  return part(data, `deliver\n${topic}`);
}

export function mapProgress(progress: Progress, part: Part): Progress {
  return progress.message === undefined ? progress : { ...progress, message: part(progress.message, TEXT) };
}

export function mapOutcome<Some extends Outcome>(outcome: Some, part: Part): Some;
export function mapOutcome(outcome: Outcome, part: Part): Outcome {
  switch (outcome.kind) {
    case 'result': {
      const value = part(outcome.value, 'value');
      return value === outcome.value ? outcome : { kind: 'result', value };
    }
    case 'error':
      return { kind: 'error', error: mapError(outcome.error, part) };
    case 'cancelled': {
      const { stopped } = outcome;
      const told = stopped === undefined ? {} : { stopped: mapStopped(stopped, part) };
      return { ...outcome, reason: part(outcome.reason, TEXT), ...told };
    }
    case 'interrupted':
    case 'expired':
      return { ...outcome, reason: part(outcome.reason, TEXT) };
  }
}

/** The note on how cancelled work was stopped; stores add it to the outcome. */
export function mapStopped(note: string, part: Part): string {
  return part(note, 'stopped');
}

function mapError(error: OutcomeError, part: Part): OutcomeError {
  const { code, message, data, stack } = error;
  return {
    ...error,
    code: isTaskErrorCode(code) ? code : part(code, 'code'),
    message: part(message, TEXT),
    ...(data !== undefined && { data: part(data, 'data') }),
    ...(stack !== undefined && { stack: part(stack, 'stack') }),
  };
}

export function mapQuestions(questions: readonly Question[], part: Part): readonly Question[] {
  return questions.length === 0 ? questions : questions.map((question) => mapQuestion(question, part));
}

function mapQuestion(question: Question, part: Part): Question {
  const { key, request, answer } = question;
  const asked = { ...question, request: mapRequest(key, request, part) };
  return answer === undefined ? asked : { ...asked, answer: mapAnswer(key, answer, part) };
}

interface SealedRequest {
  readonly kind: QuestionRequest['kind'];
  readonly sealed: unknown;
}

/** A request is one payload; only its kind stays in plain text. */
export function mapRequest(key: string, request: QuestionRequest, part: Part): QuestionRequest {
  const { kind, sealed } = request as SealedRequest;
  const mapped: unknown = part(sealed ?? request, `request\n${key}`);
  if (typeof mapped !== 'string') return mapped as QuestionRequest;
  if (isSealed(mapped)) return { kind, sealed: mapped } as unknown as QuestionRequest;
  // A request that could not be opened is shown as a form with the placeholder as its message.
  return { kind: 'form', message: mapped, schema: {} };
}

export function mapAnswer(key: string, answer: Answer, part: Part): Answer {
  if (answer.action !== 'accept' || answer.content === undefined) return answer;
  return { ...answer, content: part(answer.content, `answer\n${key}`) };
}

/** A piece of an artifact. */
export function mapPiece({ name, index }: ArtifactPlace, text: string, part: Part): string {
  return part(text, `artifact\n${index}\n${name}`);
}

export function mapStep(name: string, value: Json, part: Part): Json {
  return part(value, `step\n${name}`);
}

export function mapEvent<Event extends EventBody | AttemptBody>(event: Event, part: Part): Event;
export function mapEvent(event: EventBody, part: Part): EventBody {
  switch (event.type) {
    case 'progress':
    case 'ended':
      return event.message === undefined ? event : { ...event, message: part(event.message, TEXT) };
    case 'log': {
      const logged = { ...event, message: part(event.message, 'log') };
      return event.data === undefined ? logged : { ...logged, data: part(event.data, 'log data') };
    }
    case 'stream':
      return { ...event, data: part(event.data, 'stream') };
    case 'asked':
      return { ...event, request: mapRequest(event.key, event.request, part) };
    case 'answered':
      return { ...event, answer: mapAnswer(event.key, event.answer, part) };
    case 'spawned':
      return { ...event, command: part(event.command, 'command') };
    case 'exited':
    case 'submitted':
    case 'claimed':
    case 'taken-over':
    case 'adopted':
    case 'stalled':
    case 'parked':
    case 'requeued':
    case 'stepped':
      return event;
  }
}
