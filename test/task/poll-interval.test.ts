import { describe, expect, it } from 'vitest';
import { type Polled, toPollIntervalMs } from '../../src/task/poll-interval.ts';

const S = 1000;
const working: Polled = { status: 'working', createdAt: 0, updatedAt: 0, startedAt: 0, questions: [] };

function asked(askedAt: number): Polled['questions'] {
  return [{ key: 'q1', request: { kind: 'form', message: 'Sure?', schema: {} }, askedAt }];
}

describe('the interval that a client is given', () => {
  it.each<[what: string, task: Partial<Polled>, expected: { at: number; ms: number }]>([
    ['310 s left', { estimateMs: 310 * S }, { at: 0, ms: 15 * S }],
    ['150 s left', { estimateMs: 310 * S }, { at: 160 * S, ms: 15 * S }],
    ['100 s left', { estimateMs: 310 * S }, { at: 210 * S, ms: 10 * S }],
    ['40 s left', { estimateMs: 310 * S }, { at: 270 * S, ms: 4 * S }],
    ['10 s left', { estimateMs: 310 * S }, { at: 300 * S, ms: 1 * S }],
    ['2 s left', { estimateMs: 310 * S }, { at: 308 * S, ms: 1 * S }],
    ['half done after 50 s', { progress: { value: 0.5 } }, { at: 50 * S, ms: 5 * S }],
    ['all done', { progress: { value: 1 } }, { at: 50 * S, ms: 1 * S }],
    ['in the queue, 60 s to come', { status: 'queued', estimateMs: 60 * S }, { at: 0, ms: 6 * S }],
  ])('[HOSTS-334] is a tenth of the time left, from 1 s to 15 s: %s', (_, task, { at, ms }) => {
    expect(toPollIntervalMs({ ...working, ...task }, at)).toBe(ms);
  });

  it.each([
    ['just begun', 0, 1 * S],
    ['10 s old', 10 * S, 1 * S],
    ['60 s old', 60 * S, 6 * S],
    ['310 s old', 310 * S, 15 * S],
    ['a day old', 86_400 * S, 15 * S],
  ])('[HOSTS-335] is a tenth of the age where the time left is unknown: %s', (_, now, ms) => {
    expect(toPollIntervalMs(working, now)).toBe(ms);
    // An estimate that was too short says nothing.
    if (now > 0) expect(toPollIntervalMs({ ...working, estimateMs: 1 }, now)).toBe(ms);
  });

  it.each([
    ['just asked', 0, 2 * S],
    ['for 100 s', 100 * S, 10 * S],
    ['for 5 min', 300 * S, 30 * S],
    ['for 80 min', 4800 * S, 60 * S],
  ])('[HOSTS-336] grows to a minute while a question waits for a person: %s', (_, waitedMs, ms) => {
    const now = 5 * S + waitedMs;
    const waiting = { ...working, status: 'input_required', estimateMs: 8 * S } as const;
    expect(toPollIntervalMs({ ...waiting, questions: asked(5 * S), updatedAt: 5 * S }, now)).toBe(ms);
    // Who tells the status from an event has not read the questions again.
    expect(toPollIntervalMs({ ...waiting, questions: [], updatedAt: 5 * S }, now)).toBeGreaterThanOrEqual(2 * S);
  });

  it('[HOSTS-336] is never shorter because of a question', () => {
    const waiting = { ...working, status: 'input_required', estimateMs: 310 * S } as const;
    expect(toPollIntervalMs({ ...waiting, questions: asked(0) }, 1 * S)).toBe(15 * S);
  });

  it('[HOSTS-337] is what the owner of the tool has set, whatever the task does', () => {
    for (const status of ['queued', 'working', 'input_required', 'completed'] as const) {
      expect(toPollIntervalMs({ ...working, status, pollIntervalMs: 250, estimateMs: 310 * S }, 60 * S)).toBe(250);
    }
  });

  it('[HOSTS-334] asks for fewer than fifty polls of a tool of 310 s, and the last within a second of its end', () => {
    const polls: number[] = [];
    for (let now = 0; now < 310 * S; now += toPollIntervalMs({ ...working, estimateMs: 310 * S }, now)) polls.push(now);
    expect(polls.length).toBeLessThan(50);
    expect(polls.at(-1)).toBeGreaterThanOrEqual(309 * S);
  });
});
