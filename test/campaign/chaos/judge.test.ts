import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/campaign/chaos/judge.ts';
import {
  acknowledged,
  asked,
  begun,
  CALL,
  delivered,
  fault,
  finished,
  step,
  stored,
  TASK,
  toEvidence,
} from './judge-case.ts';

const verdictsOf = (...given: Parameters<typeof toEvidence>) =>
  judge(toEvidence(...given)).map(({ verdict }) => verdict);

const GOOD = [asked(), acknowledged(), begun(), finished()];
const HOST = { by: 'host' } as const;

describe('the judge of a campaign', () => {
  it('[BAD-551] finds nothing where every call was done once and told once', () => {
    expect(verdictsOf(GOOD)).toEqual([]);
    const host = [asked(HOST), acknowledged(HOST), begun(), finished(), delivered()];
    expect(verdictsOf([...host, { kind: 'taken', callId: CALL }])).toEqual([]);
  });

  it('[BAD-551] says lost when an acknowledged task is not in the store, and not when it was refused', () => {
    expect(verdictsOf([asked(), acknowledged()], [])).toEqual(['lost']);
    expect(verdictsOf([asked(), { kind: 'refused', callId: CALL, code: 'STORE_LOCKED' }], [])).toEqual([]);
    expect(verdictsOf([asked()], [])).toEqual([]);
  });

  it('[BAD-551] says lost when a host gives up an acknowledged call, and not when its tool failed', () => {
    const end = (code: string) => [
      asked(HOST),
      acknowledged(HOST),
      delivered({ kind: 'error', text: 'it ended so', code }),
    ];
    const failed = [stored({ told: { kind: 'error', text: 'it ended so' } })];
    expect(verdictsOf(end('CONNECT_FAILED'), failed)).toEqual(['lost']);
    expect(verdictsOf(end('TOOL_FAILED'), failed)).toEqual([]);
  });

  it('[BAD-552] says doubled when a body that may not be repeated begins twice, and not for one that may', () => {
    const twice = (repeatable: boolean) => [
      asked({ repeatable }),
      acknowledged(),
      begun({ pid: 7 }),
      fault('kill', [7]),
      begun({ pid: 8, attempt: 2 }),
      finished({ pid: 8, attempt: 2 }),
    ];
    expect(verdictsOf(twice(false))).toEqual(['doubled']);
    expect(verdictsOf(twice(true), [stored({ idempotent: true, maxAttempts: 3, attempts: 2 })])).toEqual([]);
  });

  it('[BAD-552] says doubled when one key made two tasks, or an outcome comes again after it was taken', () => {
    expect(verdictsOf(GOOD, [stored(), stored({ taskId: 'task-2' })])).toEqual(['doubled']);
    const calls = [asked(HOST), acknowledged(HOST), begun(), finished(), delivered()];
    expect(verdictsOf([...calls, { kind: 'taken', callId: CALL }, delivered()])).toEqual(['doubled']);
    expect(verdictsOf([...calls, delivered(), { kind: 'taken', callId: CALL }])).toEqual([]);
  });

  it('[BAD-553] says stuck when a task has not ended or its caller got no outcome', () => {
    const open = { status: 'queued', isEnded: false, endings: 0, told: undefined } as never;
    expect(verdictsOf([asked(), acknowledged()], [stored(open)])).toEqual(['stuck']);
    expect(verdictsOf([asked(HOST), acknowledged(HOST), begun(), finished()])).toEqual(['stuck']);
    expect(verdictsOf([asked({ by: 'client' }), begun(), finished()])).toEqual(['stuck']);
    expect(verdictsOf([asked({ by: 'client' }), begun(), finished(), delivered()])).toEqual([]);
  });

  it('[BAD-554] says late only when a call took long although nothing was wrong', () => {
    const end = delivered(undefined, { at: 100_000 });
    const acts = [begun({ at: 200 }), finished({ at: 300 })];
    expect(verdictsOf([asked({ ...HOST, at: 100 }), ...acts, end])).toEqual(['late']);
    expect(verdictsOf([asked({ ...HOST, at: 100 }), ...acts, { ...fault('lock', [], 90_000), at: 400 }, end])).toEqual(
      [],
    );
    expect(judge(toEvidence([asked({ ...HOST, at: 100 }), ...acts, end]), { lateMs: 200_000 })).toEqual([]);
  });

  it('[BAD-555] says contradictory when callers or the store tell different ends', () => {
    const interrupted = { kind: 'interrupted', text: 'Interrupted' } as const;
    const calls = [asked(HOST), acknowledged(HOST), begun(), finished()];
    expect(verdictsOf([...calls, delivered(interrupted)])).toEqual(['contradictory']);
    expect(verdictsOf([...calls, delivered(), delivered({ kind: 'result', text: 'other' })])).toEqual([
      'contradictory',
    ]);
    expect(verdictsOf([...calls, delivered(), delivered()])).toEqual([]);
  });

  it('[BAD-555] says contradictory when a result has no body that finished, ends twice or is of another call', () => {
    expect(verdictsOf([asked(), acknowledged(), begun()])).toEqual(['contradictory']);
    expect(verdictsOf(GOOD, [stored({ endings: 2 })])).toEqual(['contradictory']);
    expect(verdictsOf(GOOD, [stored({ told: { kind: 'result', text: 'done call-2' } })])).toEqual(['contradictory']);
  });

  it('[BAD-557] says acted-after-end when a body or a step begins after the end was told', () => {
    const interrupted = { kind: 'interrupted', text: 'Interrupted' } as const;
    const ended = [stored({ told: interrupted, status: 'failed' })];
    const begin = [asked(HOST), acknowledged(HOST), fault('kill', [7])];
    expect(verdictsOf([...begin, delivered(interrupted), begun({ pid: 7 })], ended)).toEqual(['acted-after-end']);
    expect(verdictsOf([...begin, begun({ pid: 7 }), delivered(interrupted)], ended)).toEqual([]);
    const late = [...begin, begun({ pid: 7 }), delivered(interrupted), step('step', { pid: 7 })];
    expect(verdictsOf(late, ended)).toEqual(['acted-after-end']);
  });

  it('[BAD-557] says acted-after-end when a step runs again after its value was kept, not when it was cut off', () => {
    const start = [asked({ repeatable: true }), acknowledged(), begun({ pid: 7 }), step('step', { pid: 7 })];
    const again = [
      fault('kill', [7]),
      begun({ pid: 8, attempt: 2 }),
      step('step', { pid: 8, attempt: 2 }),
      step('stepped', { pid: 8, attempt: 2 }),
      finished({ pid: 8, attempt: 2 }),
    ];
    const tasks = [stored({ idempotent: true, maxAttempts: 3, attempts: 2 })];
    expect(verdictsOf([...start, step('stepped', { pid: 7 }), ...again], tasks)).toEqual(['acted-after-end']);
    expect(verdictsOf([...start, ...again], tasks)).toEqual([]);
  });

  it('[BAD-558] says left-running for each process that did not go', () => {
    const left = [{ pid: 99, command: 'node worker.js' }];
    const found = judge({ ...toEvidence(GOOD), left });
    expect(found).toEqual([{ verdict: 'left-running', says: 'process 99 is still there: node worker.js' }]);
  });

  it('[BAD-559] judges no store where there is none', () => {
    const outside = { ...toEvidence([asked(HOST), acknowledged(HOST), delivered()]), tasks: undefined };
    const { tasks: _, ...evidence } = outside;
    expect(judge(evidence)).toEqual([]);
    expect(judge({ ...evidence, journal: evidence.journal.slice(0, 2) })).toMatchObject([
      { verdict: 'stuck', callId: CALL },
    ]);
  });

  it('[BAD-559] calls a promise lost that a server without a store does not keep', () => {
    const told = { kind: 'interrupted', text: 'the server does not know the task any more' } as const;
    const { tasks: _, ...evidence } = toEvidence([asked(HOST), acknowledged(HOST), delivered(told)]);
    expect(judge(evidence)).toMatchObject([{ verdict: 'lost' }]);
  });

  it('names the task of what it found', () => {
    expect(judge(toEvidence([asked(), acknowledged()], []))).toMatchObject([
      { verdict: 'lost', callId: CALL, says: expect.stringContaining(TASK) },
    ]);
  });
});
