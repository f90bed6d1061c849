import { describe, expect, it } from 'vitest';
import { formatRunEvent } from '../../../src/dialects/stream/format-event.ts';

const ts = '2026-01-20T10:12:13.000Z';
const format = (event: object) => {
  const line = formatRunEvent({ seq: 1, ts, ...event });
  expect(line.startsWith(`[${ts}] `)).toBe(true);
  return line.slice(ts.length + 3);
};
const codex = (event: object) => format({ source: 'codex', event });
const item = (fields: object) => codex({ type: 'item.completed', item: fields });
const system = (event: object) => format({ source: 'system', event });

describe('the line of an event', () => {
  it.each([
    [{ source: 'stderr', text: 'Reading prompt from stdin...\n' }, 'stderr Reading prompt from stdin...'],
    [{ source: 'raw', text: 'no json' }, 'raw no json'],
    [
      { source: 'raw', text: 'half', truncated: true, originalLength: 9000 },
      'raw half …(truncated, originalLength=9000)',
    ],
    [{ source: 'other', n: 1 }, `{"seq":1,"ts":"${ts}","source":"other","n":1}`],
  ])('[STREAM-30] %j', (event, line) => {
    expect(format(event)).toBe(line);
  });

  it.each([
    [{ type: 'spawn', command: 'codex', args: ['exec', '--json'] }, 'spawn codex exec --json'],
    [{ type: 'status', status: 'running' }, 'status running'],
    [{ type: 'warning', message: 'low on ink' }, 'warning low on ink'],
    [{ type: 'error', message: 'out of ink' }, 'error out of ink'],
    [{ type: 'gap', from: 3, to: 9 }, 'gap dropped_events seq=[3, 9)'],
    [{ type: 'progress', value: 0.5 }, 'system {"type":"progress","value":0.5}'],
  ])('[STREAM-30] of the system: %j', (event, line) => {
    expect(system(event)).toBe(line);
  });

  it.each([
    [{ kind: 'spawn', command: 'codex', args: ['exec'] }, 'spawn codex exec'],
    [{ kind: 'status', status: 'failed' }, 'status failed'],
    [{ kind: 'warning', warning: 'slow' }, 'warning slow'],
    [{ kind: 'error', error: { message: 'gone' } }, 'error gone'],
    [{ kind: 'gap', gap: { from: 1, to: 2 } }, 'gap dropped_events seq=[1, 2)'],
    [{ kind: 'new' }, `system {"seq":1,"ts":"${ts}","source":"system","kind":"new"}`],
  ])('[STREAM-30] of the system, as other programs write it: %j', (event, line) => {
    expect(format({ source: 'system', ...event })).toBe(line);
  });

  it.each([
    [{ type: 'thread.started', thread_id: 't-1' }, 'thread.started threadId=t-1'],
    [{ type: 'turn.started' }, 'turn.started'],
    [{ type: 'turn.completed', usage: { input_tokens: 7 } }, 'turn.completed usage={"input_tokens":7}'],
    [{ type: 'turn.completed' }, 'turn.completed usage=null'],
    [{ type: 'turn.failed', error: { message: 'no model' } }, 'turn.failed no model'],
    [{ type: 'error', message: 'stream lost' }, 'error stream lost'],
    [{ type: 'item.started', item: { type: 'web_search', query: 'q' } }, 'item.started web_search "q"'],
    [{ type: 'item.updated' }, 'item.updated '],
    [{ type: 'new', n: 1 }, 'new {"type":"new","n":1}'],
    [{}, 'event {}'],
  ])('[STREAM-30] of Codex: %j', (event, line) => {
    expect(codex(event)).toBe(line);
  });

  it.each([
    [
      { type: 'command_execution', command: 'ls "a"', status: 'completed', exit_code: 0 },
      'command "ls \\"a\\"" status=completed exit=0',
    ],
    [
      { type: 'command_execution', command: 'ls', status: 'in_progress', exit_code: null },
      'command "ls" status=in_progress exit=null',
    ],
    [
      {
        type: 'file_change',
        status: 'completed',
        changes: [
          { kind: 'add', path: 'a' },
          { kind: 'update', path: 'b' },
        ],
      },
      'patch status=completed changes=[add:a, update:b]',
    ],
    [{ type: 'file_change', status: 'failed' }, 'patch status=failed'],
    [{ type: 'mcp_tool_call', server: 's', tool: 't', status: 'completed' }, 'mcp s.t status=completed'],
    [{ type: 'todo_list', items: [{}, {}] }, 'todo_list (2 items)'],
    [{ type: 'error', message: 'bad' }, 'error "bad"'],
    [{ type: 'reasoning', text: 'r'.repeat(130) }, `reasoning "${'r'.repeat(120)}"`],
    [{ type: 'agent_message', text: 'a'.repeat(170) }, `assistant "${'a'.repeat(160)}"`],
    [{ type: 'new', n: 1 }, 'new {"type":"new","n":1}'],
  ])('[STREAM-30] of an item: %j', (fields, line) => {
    expect(item(fields)).toBe(`item.completed ${line}`);
  });

  it('[STREAM-30] is cut where it would be long, and never within a character', () => {
    expect(codex({ type: 'new', text: 'x'.repeat(1000) })).toHaveLength('new '.length + 320);
    expect(item({ type: 'new', text: 'x'.repeat(1000) })).toHaveLength('item.completed new '.length + 200);
    const cut = item({ type: 'agent_message', text: `${'a'.repeat(159)}😊` });
    expect(cut).toBe(`item.completed assistant "${'a'.repeat(159)}"`);
  });

  it('[STREAM-30] is written of whatever comes', () => {
    for (const event of [undefined, null, 7, 'text', [], {}, { source: 'codex' }, { source: 'system', event: null }]) {
      expect(formatRunEvent(event)).toMatch(/^\[\d{4}-.*Z\] /);
    }
    expect(codex({ type: 'item.completed', item: { type: 'file_change', changes: [null, 7] } })).toContain('changes=[');
  });
});
