/**
 * Asks a task's questions through the prompt log, for a host that reads nothing else, and reads the answers there.
 *
 * This lasts as long as the process that accepted the call. An answer that arrives by another path ends the asking, and
 * the prompt is withdrawn.
 */
import { basename, dirname } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Engine } from '../../engine/engine.ts';
import { isTaskError } from '../../errors.ts';
import { isOpen, type Question } from '../../task/question.ts';
import type { Task } from '../../task/record.ts';
import type { JsonObject } from '../host-port.ts';
import { DirectoryWatch } from '../shared/directory-watch.ts';
import { readEntries } from './log/log-entries.ts';
import { createPromptLog } from './log/log-writer.ts';
import { toQuestionAnswer, toQuestionPrompt } from './prompt/question-prompt.ts';
import { ensureRealDirectory, type PromptDestination } from './server.ts';

export interface AskedTask {
  readonly engine: Engine;
  readonly task: Task;
  readonly place: PromptDestination;
  report(error: unknown): void;
}

const LOOK_MS = 1000;
const LEFT = new Error('nobody asks any longer');
/** After this many wrong answers the question is not asked again. */
const MAX_TRIES = 5;

/** Follows a task to its end, and asks its questions. */
export async function askByPrompt(asked: AskedTask): Promise<void> {
  const { engine, task, report } = asked;
  const { taskId, principal } = task;
  const open = new Map<string, AbortController>();
  const withdraw = (key: string) => open.get(key)?.abort();
  try {
    for await (const event of engine.watch(taskId, { principal })) {
      if (event.type === 'answered') withdraw(event.key);
      if (event.type === 'ended') for (const key of open.keys()) withdraw(key);
      if (event.type !== 'asked' || open.has(event.key)) continue;
      const control = new AbortController();
      open.set(event.key, control);
      const question = { key: event.key, request: event.request };
      askOne(asked, question, control.signal).catch(report);
    }
  } finally {
    // The server is closed: open questions stay open, also in the log.
    for (const control of open.values()) control.abort(LEFT);
  }
}

type Asked = Pick<Question, 'key' | 'request'>;

async function askOne(asked: AskedTask, question: Asked, signal: AbortSignal): Promise<void> {
  let complaint: string | undefined;
  for (let tried = 1; tried <= MAX_TRIES; tried++) {
    const prompt = toQuestionPrompt(question, complaint);
    if (!prompt || !(await isStillOpen(asked, question))) return;
    const response = await putPrompt(asked, { ...question, prompt, tried }, signal);
    complaint = response && (await answer(asked, question, response));
    if (complaint === undefined) return;
  }
}

interface PutPrompt extends Asked {
  readonly prompt: JsonObject;
  readonly tried: number;
}

/** Writes a prompt and waits for the response; undefined when the question was answered elsewhere, or is no longer needed. */
async function putPrompt(asked: AskedTask, put: PutPrompt, signal: AbortSignal): Promise<JsonObject | undefined> {
  const { place, task } = asked;
  const { key, prompt, tried } = put;
  if (place.isReal) await ensureRealDirectory(place.log);
  const log = createPromptLog({ path: place.log });
  const requestId = `${place.taskId ?? task.taskId}:${key}${tried === 1 ? '' : `:${tried}`}`;
  if ((await readEntries(place.log, requestId)).length === 0) await log.request(prompt, { requestId });
  const response = await waitForResponse(place.log, requestId, signal);
  // Withdraws the prompt, so that no user answers it in vain.
  if (!response && signal.reason !== LEFT) await log.respond(requestId, { status: 'canceled' });
  return response;
}

/** Submits a response as the answer; returns what is wrong with it, if it is not valid. */
async function answer(
  { engine, task: { taskId, principal } }: AskedTask,
  question: Asked,
  response: JsonObject,
): Promise<string | undefined> {
  try {
    await engine.answer(taskId, { [question.key]: toQuestionAnswer(question, response) }, { principal });
    return undefined;
  } catch (error) {
    if (isTaskError(error, 'QUESTION_NOT_OPEN')) return undefined;
    if (!isTaskError(error, 'ANSWER_INVALID')) throw error;
    return `Please answer again: ${error.message}.`;
  }
}

async function isStillOpen({ engine, task }: AskedTask, { key }: Asked): Promise<boolean> {
  const { questions } = await engine.get(task.taskId, { principal: task.principal });
  return questions.some((question) => question.key === key && isOpen(question));
}

/** Returns the response to a request; undefined when the signal aborts first. */
async function waitForResponse(path: string, requestId: string, signal: AbortSignal): Promise<JsonObject | undefined> {
  let wake = () => {};
  const onHint = () => wake();
  const options = { clock: systemClock, isWatching: true, name: basename(path), intervalMs: () => LOOK_MS, onHint };
  const watch = new DirectoryWatch(dirname(path), options);
  signal.addEventListener('abort', onHint);
  try {
    for (;;) {
      const hinted = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const found = (await readEntries(path, requestId)).find((entry) => entry.action === 'response');
      if (found?.action === 'response') return found.response;
      if (signal.aborted) return undefined;
      await hinted;
    }
  } finally {
    watch.close();
    signal.removeEventListener('abort', onHint);
  }
}
