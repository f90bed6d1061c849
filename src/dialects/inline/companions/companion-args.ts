/**
 * The arguments of the companion tools.
 *
 * Their schemas go to the APIs of models as they are, and several of these reject recursion, references and
 * alternatives: an open value is declared with a plain type and checked here.
 */

import { z } from 'zod';
import { TaskError } from '../../../errors.ts';
import { isObject } from '../../../is-object.ts';
import type { Json } from '../../../task/json.ts';
import type { ServerPort } from '../../server-port.ts';

const TaskId = z.string().min(1).describe('The id that the first answer gave');

export const WaitArgs = z.strictObject({
  task_id: TaskId,
  wait_seconds: z.number().min(0).optional().describe('Longest wait; as long as this client allows when left out'),
  // Accepts any value: a wrong turn is never rejected.
  turn: z.unknown().meta({ type: 'integer', description: 'The turn that the last answer named' }).optional(),
  part: z.string().optional().describe('Of a result that is too long: the part that it names; "result" when left out'),
  offset: z.number().int().min(0).optional().describe('The byte from which to read that part on'),
});

export const CancelArgs = z.strictObject({ task_id: TaskId });

export const ListArgs = z.strictObject({
  limit: z.number().int().min(1).max(100).default(20).describe('How many, newest first'),
});

export const AnswerArgs = z.strictObject({
  task_id: TaskId,
  key: z.string().optional().describe('Which question; may be left out when only one is open'),
  action: z.enum(['accept', 'decline', 'cancel']).default('accept'),
  content: z
    .unknown()
    .meta({ type: 'object', description: "The user's answer, of the schema that the question names" })
    .optional(),
});

/** Reads the content of an answer; some models send an object as its JSON text. */
export function readContent(port: ServerPort, given: unknown = {}): Json {
  const content = typeof given === 'string' ? port.parseJson(given) : given;
  if (isObject(content)) return content as Json;
  // The value may be secret, so the message does not repeat it.
  throw new TaskError(
    'INVALID_ARGUMENT',
    'content is no object; expected an object of the schema that the question names',
  );
}
