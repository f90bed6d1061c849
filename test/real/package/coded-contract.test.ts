import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { aesGcmCodec } from '../../../src/codec/aes-gcm-codec.ts';
import type { PayloadCodec } from '../../../src/codec/codec.ts';
import { withCodec } from '../../../src/store/codec/with-codec.ts';
import { createMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { describeStore } from '../../../src/testing/store-contract.ts';

const aes = aesGcmCodec({ keys: [{ id: 'k1', key: randomBytes(32) }] });

/** One of an owner's own, that takes its time and makes no marks. */
const own: PayloadCodec = {
  encode: async (text, place) => Buffer.from(JSON.stringify([place, text])).toString('hex'),
  decode: async (kept, place) => {
    const [where, text] = JSON.parse(Buffer.from(kept, 'hex').toString()) as [string, string];
    if (where !== place) throw new Error('another place');
    return text;
  },
};

describeStore(
  '[SEC-450] the memory store with a codec of an owner',
  async (clock) => withCodec(createMemoryStore({ clock }), { codec: own }),
  { describe, it },
);

describe('on disk', () => {
  let directory: string;
  let opened = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-coded-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  describeStore(
    '[SEC-450] the SQLite store with AES',
    async (clock) => {
      opened += 1;
      return withCodec(await openSqliteStore({ path: join(directory, `${opened}`, 'tasks.db'), clock }), {
        codec: aes,
      });
    },
    { describe, it },
  );
});
