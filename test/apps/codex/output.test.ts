import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseEvent, toEventPiece, toTextPiece } from '../../../src/apps/codex/runs/codex-event.ts';
import { LineSplitter } from '../../../src/apps/codex/runs/line-splitter.ts';
import { StallWatch } from '../../../src/apps/codex/runs/stall-watch.ts';

describe('a run in which nothing happens', () => {
  const item = { id: 'item_1', type: 'command_execution' };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openWatch() {
    let stalls = 0;
    const watch = new StallWatch(1000, () => void stalls++);
    return { watch, stalls: () => stalls };
  }

  it('[CODEX-13] stalls when there are no events, or nothing but errors', () => {
    const { watch, stalls } = openWatch();
    watch.onEvent({ type: 'turn.started' });
    for (let at = 0; at < 9; at++) {
      vi.advanceTimersByTime(100);
      watch.onEvent({ type: 'error', message: 'Reconnecting... waiting for network' });
    }
    expect(stalls()).toBe(0);
    vi.advanceTimersByTime(100);
    expect(stalls()).toBe(1);
  });

  it('[CODEX-13] does not stall while a command is open, however long it takes', () => {
    const { watch, stalls } = openWatch();
    watch.onEvent({ type: 'item.started', item });
    vi.advanceTimersByTime(100_000);
    expect(stalls()).toBe(0);
    watch.onEvent({ type: 'item.completed', item });
    vi.advanceTimersByTime(1000);
    expect(stalls()).toBe(1);
  });

  it('[CODEX-13] does not stall any more when it is over', () => {
    const { watch, stalls } = openWatch();
    watch[Symbol.dispose]();
    vi.advanceTimersByTime(100_000);
    expect(stalls()).toBe(0);
  });
});

describe('the output of Codex', () => {
  const split = (chunks: readonly Buffer[]) => {
    const splitter = new LineSplitter({ longest: 10, kept: 4 });
    return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()];
  };

  it('[CODEX-05] is cut into lines wherever its chunks end, also within a character', () => {
    const bytes = Buffer.from('one\n\nt\u{1f600}o\nend');
    for (let at = 0; at <= bytes.length; at++) {
      const lines = split([bytes.subarray(0, at), bytes.subarray(at)]);
      expect(lines.map(({ text }) => text)).toEqual(['one', '', 't\u{1f600}o', 'end']);
    }
  });

  it('[CODEX-11] keeps the beginning of a line that is too long, and counts the rest', () => {
    const lines = split([Buffer.from('123456'), Buffer.from('789012345'), Buffer.from('67\nnext\n')]);
    expect(lines).toEqual([
      { text: '1234', length: 17 },
      { text: 'next', length: 4 },
    ]);
  });

  it('[CODEX-06] has no text longer than 50,000 characters in one event, and says how long it was', () => {
    const text = 'x'.repeat(60_000);
    const piece = toTextPiece('stderr', { text, length: text.length });
    expect(piece).toEqual({ source: 'stderr', text: 'x'.repeat(50_000), truncated: true, originalLength: 60_000 });
    const event = { type: 'item.completed', item: { id: 'i', type: 'agent_message', text } };
    const shown = JSON.stringify(toEventPiece(event, JSON.stringify(event).length));
    expect(shown).toContain('…(truncated, originalLength=60000)');
    expect(shown.length).toBeLessThan(51_000);
  });

  it('[CODEX-11] has no event longer than a million characters, however many texts are in it', () => {
    const items = Array.from({ length: 100 }, () => ({ text: 'y'.repeat(20_000) }));
    const event = { type: 'item.updated', item: { id: 'i', type: 'todo_list', items } };
    expect(toEventPiece(event, 2_000_000)).toEqual({
      source: 'codex',
      event: {
        type: 'item.updated',
        item: { id: 'i', type: 'todo_list' },
        truncated: true,
        originalLength: 2_000_000,
      },
    });
  });

  it('[CODEX-05] is an event only when a line is a whole object with a type', () => {
    const parse = (text: string, length = text.length) => parseEvent({ text, length });
    expect(parse('{"type":"turn.started"}')).toEqual({ type: 'turn.started' });
    for (const text of ['', 'null', '[]', '{}', '{"type":1}', '{"type"', 'text']) expect(parse(text)).toBeUndefined();
    expect(parse('{"type":"turn.started"}', 99)).toBeUndefined();
  });
});
