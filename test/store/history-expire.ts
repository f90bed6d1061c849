import fc from 'fast-check';
import { expect } from 'vitest';
import { command, type Real } from './history-commands.ts';
import type { Model } from './history-model.ts';

/** Ends what was not started in time, all of it or one task. */
export const expire: fc.Arbitrary<fc.AsyncCommand<Model, Real>> = command(
  'expire',
  fc.constantFrom(1, 100),
  (limit) =>
    async (model, { store, seen }) => {
      const expired = await store.deadlines.expire(limit);
      expect(expired).toBe(model.expire(limit));
      if (expired > 0) seen.add('expire');
    },
);
