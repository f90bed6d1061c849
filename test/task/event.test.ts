import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventType, isHighRate, type TaskEvent, withGaps } from '../../src/task/event.ts';
import { isOpen } from '../../src/task/question.ts';

const event = (seq: number): TaskEvent => ({ type: 'stream', data: null, seq, at: 0 });

describe('events with gaps', () => {
  it('are left as they are when none is missing', () => {
    expect(withGaps([event(1), event(2)], 0)).toEqual([event(1), event(2)]);
    expect(withGaps([event(8)], 7)).toEqual([event(8)]);
    expect(withGaps([], 7)).toEqual([]);
  });

  it('[TASK-06] say which numbers are missing, also right after the reader left off', () => {
    expect(withGaps([event(5), event(6), event(9)], 2)).toEqual([
      { type: 'gap', from: 3, to: 4 },
      event(5),
      event(6),
      { type: 'gap', from: 7, to: 8 },
      event(9),
    ]);
  });

  it('account for every number up to the last, once and in order', () => {
    const kept = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });
    fc.assert(
      fc.property(kept, fc.nat({ max: 60 }), (numbers, afterSeq) => {
        const seqs = numbers.filter((seq) => seq > afterSeq).sort((a, b) => a - b);
        const covered = withGaps(seqs.map(event), afterSeq).flatMap((one) =>
          one.type === 'gap' ? Array.from({ length: one.to - one.from + 1 }, (_, n) => one.from + n) : [one.seq],
        );
        const last = seqs.at(-1) ?? afterSeq;
        expect(covered).toEqual(Array.from({ length: last - afterSeq }, (_, n) => afterSeq + 1 + n));
      }),
    );
  });
});

describe('high-rate events', () => {
  it('are progress, logs and streams; all others are kept for good', () => {
    const types: Record<EventType, boolean> = {
      submitted: false,
      claimed: false,
      asked: false,
      answered: false,
      'taken-over': false,
      adopted: false,
      parked: false,
      stalled: false,
      requeued: false,
      stepped: false,
      spawned: false,
      exited: false,
      ended: false,
      progress: true,
      log: true,
      stream: true,
    };
    for (const [type, expected] of Object.entries(types)) expect(isHighRate(type as EventType)).toBe(expected);
  });
});

describe('a question', () => {
  it('is open until it has an answer, a refusal included', () => {
    const question = { key: 'q1', request: { kind: 'roots' }, askedAt: 0 } as const;
    expect(isOpen(question)).toBe(true);
    for (const action of ['accept', 'decline', 'cancel'] as const) {
      expect(isOpen({ ...question, answer: { action }, answeredAt: 1 })).toBe(false);
    }
  });
});
