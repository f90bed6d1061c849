/** Workers in the serving process that come and go while a detached one is missing. */

import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { systemClock } from '../../../dist/clock.js';
import { ChangeRouter } from '../../../dist/engine/change-router.js';
import { parseEngineOptions } from '../../../dist/engine/engine-options.js';
import { HoldReleases } from '../../../dist/engine/holds/hold-releases.js';
import { InlineWorkers } from '../../../dist/engine/workers/inline-workers.js';
import { openRig } from '../open-rig.ts';

it('[BAD-150] one that is to leave while it still takes its place leaves no place behind, and another can follow', async () => {
  const { store } = await openRig();
  const options = parseEngineOptions({ name: 'test', store, leaseMs: 300, shutdownGraceMs: 0 });
  const settings = { ...options, identity: 'test', base: 'test' };
  const router = new ChangeRouter(store.changes, systemClock);
  const inline = new InlineWorkers({ ...settings, store, router, releases: new HoldReleases(settings) });
  const started = inline.start();
  inline.drain();
  await started;
  await until(async () => (await store.workers.list()).length === 0);
  inline.startWithRetries();
  await until(async () => (await store.workers.list()).length === 1);
  await inline.stop();
  expect(await store.workers.list()).toEqual([]);
});
