import { describe, it } from 'vitest';
import { describeStore } from '../../../src/testing/store-contract.ts';
import { PostgresScratch } from '../../store/postgres/scratch.ts';

const scratch = new PostgresScratch();

// `npm test` tries it over connections of a pool that is the user's.
describeStore(
  '[PG-101] the PostgreSQL store on connections of its own',
  (clock) => scratch.openEmpty({ clock, url: scratch.cluster.url() }),
  {
    describe,
    it,
  },
);
