/** Encodes every payload of a ledger with the current key, including payloads stored in clear. */
import { dirname } from 'node:path';
import type { PayloadCodec } from '../../codec/codec.ts';
import { findLocalCodec } from '../../codec/local-codec.ts';
import { Sealer } from '../../codec/sealer.ts';
import type { Database } from '../../sqlite/database.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { type Rewritten, rewriteTexts, type TextChange, type TextSource } from '../../sqlite/rewrite.ts';
import { vacuumDatabase } from '../../sqlite/vacuum.ts';
import { Writer } from '../../sqlite/writer.ts';
import { CallParts, PAYLOADS, toAnswerPlace, toPlace, toShown } from './coded-ledger.ts';
import { LEDGER_SCHEMA } from './sqlite-ledger.ts';

/** Options of `rekeySqliteLedger`. */
export interface RekeyLedgerOptions {
  /** The database file. */
  readonly path: string;
  /** Every payload is encoded with its first key. */
  readonly codec: PayloadCodec;
  /**
   * Whether to rewrite the file (`VACUUM`) afterwards. Otherwise its free pages still hold older copies of payloads; other
   * writers wait meanwhile.
   *
   * @default false
   */
  readonly vacuum?: boolean;
}

/** Encodes all payloads of a ledger in a SQLite file again. */
export async function rekeySqliteLedger({ path, codec, vacuum = false }: RekeyLedgerOptions): Promise<Rewritten> {
  const db = openDatabase({ path, schema: LEDGER_SCHEMA, create: false });
  const writer = new Writer(db, { version: LEDGER_SCHEMA.migrations.length });
  const keeper = { directory: dirname(db.path) };
  try {
    const parts = new CallParts(new Sealer({ codec, local: () => findLocalCodec(keeper) }));
    const rewritten = await rewriteTexts([toCallSource(db, parts)], { db, writer, name: 'rekey' });
    if (vacuum) vacuumDatabase(db);
    return rewritten;
  } finally {
    await writer.close();
    db.close();
  }
}

type CallRow = { readonly cursor: number; readonly id: string } & Readonly<Record<string, unknown>>;

function toCallSource(db: Database, parts: CallParts): TextSource<CallRow> {
  return {
    page: 'SELECT row AS cursor, * FROM call WHERE row > ? ORDER BY row LIMIT ? + 0',
    async toChanges(row) {
      const changes: TextChange[] = [];
      for (const field of PAYLOADS) changes.push(...(await recodeField(parts, row, field)));
      for (const answer of db.all<AnswerRow>('SELECT key, answer FROM answer WHERE call = ?', row.id)) {
        changes.push(...(await recodeAnswer(parts, row.id, answer)));
      }
      return changes;
    },
  };
}

async function recodeField(parts: CallParts, row: CallRow, field: string): Promise<TextChange[]> {
  const from = row[field];
  if (typeof from !== 'string') return [];
  const kept: unknown = JSON.parse(from);
  const to = JSON.stringify(await parts.recode(kept, toPlace(row.id, field), toShown(field, kept)));
  const sql = `UPDATE call SET ${field} = ?1 WHERE ${field} = ?2 AND row = ?3`;
  return from === to ? [] : [{ sql, from, to, where: [row.cursor] }];
}

interface AnswerRow {
  readonly key: string;
  readonly answer: string;
}

async function recodeAnswer(parts: CallParts, callId: string, row: AnswerRow): Promise<TextChange[]> {
  const { key, answer: from } = row;
  const to = JSON.stringify(await parts.recode(JSON.parse(from), toAnswerPlace(callId, key), {}));
  const sql = 'UPDATE answer SET answer = ?1 WHERE answer = ?2 AND call = ?3 AND key = ?4';
  return from === to ? [] : [{ sql, from, to, where: [callId, key] }];
}
