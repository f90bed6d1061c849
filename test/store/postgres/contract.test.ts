import { describe, it } from 'vitest';
import { storeContract } from '../../../src/testing/store-contract.ts';
import { share } from '../../share.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

// `npm test` tries all of them on the stores in memory and in SQLite.
describe('[PG-101] the PostgreSQL store', () => {
  for (const { area, title, run } of share(storeContract, { every: 3 })) {
    it(`${area}: ${title}`, () => run((clock) => scratch.openEmpty({ clock })));
  }
});
