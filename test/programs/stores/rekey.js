// @ts-check
/**
 * Gives a store or a ledger the first of its keys: node rekey.js PATH KEYS POINT HIT; KEYS is a list of { id, key } as JSON.
 * It is killed the HIT-th time it comes to POINT; `none` goes all the way.
 */
import { aesGcmCodec, rekeySqliteStore } from 'holdfast';
import { rekeySqliteLedger } from 'holdfast/host';
import { armCrashPoint } from 'holdfast/testing';

const [path = '', keys = '[]', point = 'none', hit = '1'] = process.argv.slice(2);
if (point !== 'none') armCrashPoint(point, { hit: Number(hit) });
const options = { path, codec: aesGcmCodec({ keys: JSON.parse(keys) }) };
const { changed, failed } = await (path.endsWith('tasks.db') ? rekeySqliteStore : rekeySqliteLedger)(options);
console.log(JSON.stringify({ changed, failed }));
