import type { Change, Store } from 'holdfast/store';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OwnCommits } from '../../../src/store/postgres/changes/own-commits.ts';
import { PostgresScratch } from './scratch.ts';

const scratch = new PostgresScratch();

const toTask = (taskId: string) => ({
  ...{ taskId, tool: 'render', args: {}, principal: 'ada', identity: 'reports', ttlMs: 60_000 },
  ...{ pollIntervalMs: 1000, idempotent: true, maxAttempts: 3, deliver: [] },
});

function listen(store: Store): Change[] {
  const heard: Change[] = [];
  onTestFinished(store.changes.subscribe((changes) => void heard.push(...changes)));
  return heard;
}

describe('changes of one task', () => {
  it('[PG-276] are told once and in order to both, when another process ends it as soon as it can see it', async () => {
    const schema = scratch.toSchema();
    const [one, other] = [await scratch.open({ schema }), await scratch.open({ schema })];
    const both = [listen(one), listen(other)];
    // Who writes has begun to listen; what others wrote before that is not told.
    for (const [n, store] of [one, other].entries())
      await store.tasks.create(toTask(`first-${n}`), { queueLimit: 1000 });
    const outcome = { kind: 'cancelled', reason: 'enough' } as const;
    const ending: Promise<boolean>[] = [];
    onTestFinished(
      other.changes.subscribe((changes) => {
        for (const { taskId, type } of changes) {
          if (type === 'submitted' && taskId.startsWith('task-'))
            ending.push(other.tasks.settle({ taskId }, { outcome }));
        }
      }),
    );
    const ids = Array.from({ length: 200 }, (_, n) => `task-${n}`);
    for (let from = 0; from < ids.length; from += 10) {
      const some = ids.slice(from, from + 10);
      await Promise.all(some.map((taskId) => one.tasks.create(toTask(taskId), { queueLimit: 1000 })));
    }
    for (const heard of both) {
      await until(() => heard.filter(({ type }) => type === 'ended').length >= ids.length, { what: 'all ends' });
    }
    expect(await Promise.all(ending)).toEqual(ids.map(() => true));
    for (const heard of both) {
      const types = (taskId: string) => heard.filter((change) => change.taskId === taskId).map(({ type }) => type);
      for (const taskId of ids) expect(types(taskId)).toEqual(['submitted', 'ended']);
    }
  });
});

describe('what a process has committed', () => {
  const submitted = { taskId: 'a', type: 'submitted', seq: 1 } as const;
  const claimed = { taskId: 'a', type: 'claimed', seq: 2 } as const;
  const ended = { taskId: 'a', type: 'ended', seq: 3 } as const;

  it('[PG-276] is told from here while it alone has written to a task', () => {
    const own = new OwnCommits();
    own.begin('10', [submitted, claimed]);
    expect(own.has('10')).toBe(true);
    expect(own.end('10', [submitted, claimed])).toBe(true);
    own.begin('11', [ended]);
    expect(own.end('11', [ended])).toBe(true);
    expect(own.announcedXids).toEqual(['10', '11']);
    own.forget(['10', '11']);
    expect(own.has('10')).toBe(false);
  });

  it('[PG-276] is left to a look from the first event on that follows one of somebody else', () => {
    const own = new OwnCommits();
    own.begin('10', [submitted]);
    own.end('10', [submitted]);
    // Another process has claimed it.
    own.begin('12', [ended]);
    expect(own.has('12')).toBe(false);
    expect(own.end('12', [ended])).toBe(false);
  });

  it('[PG-276] and was not kept is not told, and what follows is', () => {
    const own = new OwnCommits();
    own.begin('10', [submitted]);
    expect(own.end('10', [])).toBe(false);
    expect(own.has('10')).toBe(false);
    own.begin('11', [submitted]);
    expect(own.end('11', [submitted])).toBe(true);
  });
});
