import { expect, it } from 'vitest';
import type { Change } from '../../src/store/contract.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { until } from '../../src/testing/until.ts';
import { submit } from './sqlite/scratch.ts';

it('goes on telling the others when a listener throws', async () => {
  const errors: unknown[] = [];
  const store = createMemoryStore({ onError: (error) => errors.push(error) });
  const seen: Change[] = [];
  store.changes.subscribe(() => {
    throw new RangeError('listener');
  });
  store.changes.subscribe((changes) => seen.push(...changes));
  await submit(store);
  await until(() => seen.length === 1);
  expect(errors).toEqual([new RangeError('listener')]);
});
