/**
 * Re-encodes every payload of a store with the key that writes; plain payloads are encoded too.
 *
 * It can run while workers that have all keys are working, and again after an interruption.
 */
import { dirname } from 'node:path';
import { buildMaybeAsync, type MaybePromise } from '../../codec/chain.ts';
import type { PayloadCodec } from '../../codec/codec.ts';
import { findLocalCodec } from '../../codec/local-codec.ts';
import { Sealer } from '../../codec/sealer.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { type Rewritten, rewriteTexts, type TextChange, type TextSource } from '../../sqlite/rewrite.ts';
import { vacuumDatabase } from '../../sqlite/vacuum.ts';
import { Writer } from '../../sqlite/writer.ts';
import type { EventType } from '../../task/event.ts';
import type { Json } from '../../task/json.ts';
import type { Outcome } from '../../task/outcome.ts';
import type { Answer, QuestionRequest } from '../../task/question.ts';
import type { Delivery, Progress } from '../../task/record.ts';
import { toFingerprints, toPayloadPlace } from '../codec/coded-tasks.ts';
import {
  mapAnswer,
  mapArgs,
  mapDeliver,
  mapEvent,
  mapMessage,
  mapOutcome,
  mapPiece,
  mapProgress,
  mapRequest,
  mapStep,
  type Part,
} from '../codec/parts.ts';
import { toBodyText } from '../stored-bytes.ts';
import { toEvent } from './rows.ts';
import { STORE_SCHEMA } from './schema.ts';

export type { Rewritten } from '../../sqlite/rewrite.ts';

/** Which store is re-encoded, and how. */
export interface RekeyOptions {
  /** The database file. */
  readonly path: string;
  /** The codec; every payload is re-encoded with its first key. */
  readonly codec: PayloadCodec;
  /**
   * Whether to vacuum the file afterwards. Only then are older copies of payloads gone from its free pages; other writers
   * wait meanwhile.
   * @default false
   */
  readonly vacuum?: boolean;
}

/** Re-encodes all payloads of a store in a SQLite file. */
export async function rekeySqliteStore({ path, codec, vacuum = false }: RekeyOptions): Promise<Rewritten> {
  const db = openDatabase({ path, schema: STORE_SCHEMA, create: false });
  const writer = new Writer(db, { version: STORE_SCHEMA.migrations.length });
  const keeper = { directory: dirname(db.path) };
  try {
    const sealer = new Sealer({ codec, local: () => findLocalCodec(keeper) });
    const rewritten = await rewriteTexts(toSources(sealer), { db, writer, name: 'rekey' });
    if (vacuum) vacuumDatabase(db);
    return rewritten;
  } finally {
    await writer.close();
    db.close();
  }
}

function toSources(sealer: Sealer): TextSource<never>[] {
  return [toTaskSource(sealer), toLongArgsSource(sealer), ...toPartSources(sealer)] as TextSource<never>[];
}

interface TaskRow {
  readonly cursor: number;
  readonly id: string;
  readonly principal: string;
  readonly args: string | null;
  readonly status_message: string | null;
  readonly progress: string | null;
  readonly outcome: string | null;
  readonly deliver: string | null;
  readonly fingerprint: string | null;
}

function toTaskSource(sealer: Sealer): TextSource<TaskRow> {
  return {
    page: `SELECT row AS cursor, id, principal, args, status_message, progress, outcome, deliver, fingerprint FROM task
      WHERE row > ? ORDER BY row LIMIT ? + 0`,
    async toChanges(row) {
      const recode = createRecoder(sealer, row.id);
      const column = (name: string, from: string | null, to: string | undefined) =>
        toChange({ table: 'task', column: name }, { ...row, from, to });
      const texts = {
        args: await recode(row.args, (args: Json, part) => mapArgs(args, row.principal, part)),
        progress: await recode(row.progress, (progress: Progress, part) => mapProgress(progress, part)),
        outcome: await recode(row.outcome, (outcome: Outcome, part) => mapOutcome(outcome, part)),
        deliver: await recode(row.deliver, (deliver: readonly Delivery[], part) => mapDeliver(deliver, part)),
      };
      const message = row.status_message ?? undefined;
      const status = message === undefined ? undefined : await recodeText(sealer, row.id, message);
      return [
        ...Object.entries(texts).flatMap(([name, to]) => column(name, row[name as keyof typeof texts], to)),
        ...column('status_message', row.status_message, status),
        ...column('fingerprint', row.fingerprint, await toNewFingerprint(sealer, row, row.args)),
      ];
    },
  };
}

interface LongArgsRow {
  readonly cursor: number;
  readonly id: string;
  readonly principal: string;
  readonly args: string;
  readonly fingerprint: string | null;
}

function toLongArgsSource(sealer: Sealer): TextSource<LongArgsRow> {
  return {
    page: `SELECT long_args.task AS cursor, task.id AS id, principal, long_args.args AS args, fingerprint
      FROM long_args JOIN task ON task.row = long_args.task WHERE long_args.task > ? ORDER BY long_args.task LIMIT ? + 0`,
    async toChanges(row) {
      const recode = createRecoder(sealer, row.id);
      const to = await recode(row.args, (args: Json, part) => mapArgs(args, row.principal, part));
      const fingerprint = await toNewFingerprint(sealer, row, row.args);
      return [
        ...toChange({ table: 'long_args', column: 'args', key: 'task' }, { ...row, from: row.args, to }),
        ...toChange({ table: 'task', column: 'fingerprint' }, { ...row, from: row.fingerprint, to: fingerprint }),
      ];
    },
  };
}

/** A task that can be joined is found by a fingerprint of its arguments, which depends on the key. */
async function toNewFingerprint(
  sealer: Sealer,
  { id, principal, fingerprint }: Pick<TaskRow, 'id' | 'principal' | 'fingerprint'>,
  args: string | null,
): Promise<string | undefined> {
  if (fingerprint === null || args === null) return undefined;
  const opened = await sealer.open(JSON.parse(args), toPayloadPlace(id, `args\n${principal}`), 'reveal');
  const [newest] = toFingerprints(sealer, opened as Json);
  return newest;
}

interface PartRow {
  readonly cursor: number;
  readonly id: string;
  readonly name: string;
  readonly text: string | null;
  readonly more: string | null;
}

function toPartSources(sealer: Sealer): TextSource<PartRow>[] {
  const recoder = (row: PartRow) => createRecoder(sealer, row.id);
  return [
    {
      page: `SELECT event.row AS cursor, task.id AS id, event.type AS name, body AS text FROM event
        JOIN task ON task.row = event.task WHERE event.row > ? ORDER BY event.row LIMIT ? + 0`,
      async toChanges(row) {
        const event = toEvent({ type: row.name as EventType, body: row.text, seq: 0, at: 0 });
        const { seq: _seq, at: _at, ...body } = await recodeParts(sealer, row.id, (part) => mapEvent(event, part));
        return toChange(
          { table: 'event', column: 'body' },
          { ...row, from: row.text, to: toBodyText(body) ?? undefined },
        );
      },
    },
    {
      page: `SELECT question.row AS cursor, task.id AS id, key AS name, request AS text, answer AS more FROM question
        JOIN task ON task.row = question.task WHERE question.row > ? ORDER BY question.row LIMIT ? + 0`,
      async toChanges(row) {
        const request = await recoder(row)(row.text, (one: QuestionRequest, part) => mapRequest(row.name, one, part));
        const answer = await recoder(row)(row.more, (one: Answer, part) => mapAnswer(row.name, one, part));
        return [
          ...toChange({ table: 'question', column: 'request' }, { ...row, from: row.text, to: request }),
          ...toChange({ table: 'question', column: 'answer' }, { ...row, from: row.more, to: answer }),
        ];
      },
    },
    {
      page: `SELECT outbox.row AS cursor, task.id AS id, topic AS name, data AS text FROM outbox
        JOIN task ON task.row = outbox.task WHERE outbox.row > ? ORDER BY outbox.row LIMIT ? + 0`,
      async toChanges(row) {
        const to = await recoder(row)(row.text, (data: Json, part) => mapMessage(row.name, data, part));
        return toChange({ table: 'outbox', column: 'data' }, { ...row, from: row.text, to });
      },
    },
    {
      page: `SELECT artifact.row AS cursor, task.id AS id, name, piece, text FROM artifact
        JOIN task ON task.row = artifact.task WHERE artifact.row > ? ORDER BY artifact.row LIMIT ? + 0`,
      async toChanges(row) {
        const { cursor, id, name, text } = row;
        const { piece: index } = row as PartRow & { readonly piece: number };
        const to = await recodeParts(sealer, id, (part) => mapPiece({ name, index }, text ?? '', part));
        return toChange({ table: 'artifact', column: 'text' }, { cursor, from: text, to });
      },
    },
    {
      // Pages hold whole tasks: a page must not end between two steps of one task.
      page: `SELECT step.task AS cursor, task.id AS id, name, value AS text FROM step JOIN task ON task.row = step.task
        WHERE step.task IN (SELECT DISTINCT task FROM step WHERE task > ? ORDER BY task LIMIT ? + 0) ORDER BY step.task`,
      async toChanges({ cursor, name, text, ...row }) {
        const to = await recoder({ cursor, name, text, ...row })(text, (value: Json, part) =>
          mapStep(name, value, part),
        );
        const changes = toChange({ table: 'step', column: 'value', key: 'task' }, { cursor, from: text, to });
        return changes.map((change) => ({ ...change, sql: `${change.sql} AND name = ?4`, where: [cursor, name] }));
      },
    },
  ];
}

function recodeParts<T>(sealer: Sealer, taskId: string, map: (part: Part) => T): MaybePromise<T> {
  return buildMaybeAsync((part) =>
    map((value, field) =>
      part(() => sealer.recode(value, toPayloadPlace(taskId, field)) as MaybePromise<typeof value>),
    ),
  );
}

async function recodeText(sealer: Sealer, taskId: string, text: string): Promise<string> {
  return recodeParts(sealer, taskId, (part) => part(text, 'text'));
}

/** Re-encodes the payloads inside a JSON text. */
function createRecoder(sealer: Sealer, taskId: string) {
  return async <T>(text: string | null, map: (value: T, part: Part) => T): Promise<string | undefined> => {
    if (text === null) return undefined;
    return JSON.stringify(await recodeParts(sealer, taskId, (part) => map(JSON.parse(text) as T, part)));
  };
}

interface Recoded {
  readonly cursor: number;
  readonly from: string | null;
  readonly to: string | undefined;
}

interface Column {
  readonly table: string;
  readonly column: string;
  /** The column that identifies the row. */
  readonly key?: string;
}

function toChange({ table, column, key = 'row' }: Column, { cursor, from, to }: Recoded): TextChange[] {
  if (from === null || to === undefined || from === to) return [];
  return [
    { sql: `UPDATE ${table} SET ${column} = ?1 WHERE ${column} = ?2 AND ${key} = ?3`, from, to, where: [cursor] },
  ];
}
