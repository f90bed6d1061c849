import { describe, expect, it } from 'vitest';
import { toActive, toPending } from '../../../src/dialects/ui-prompts/prompt/pending.ts';
import { parsePrompt, parseResponse } from '../../../src/dialects/ui-prompts/prompt/prompt.ts';
import type { PromptEntry } from '../../../src/dialects/ui-prompts/wire.ts';

const fields = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `k${index}` }));
const options = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `v${index}` }));

describe('a prompt', () => {
  it('[UIP-16] of every kind gets its defaults', () => {
    expect(parsePrompt({ kind: 'kv', fields: [{ key: ' name ', default: ' x ' }] })).toMatchObject({
      title: '',
      allowCancel: true,
      fields: [{ key: 'name', label: '', default: ' x ', required: false, multiline: false, secret: false }],
    });
    expect(parsePrompt({ kind: 'choice', options: options(2), default: 'v1' })).toMatchObject({
      multiple: false,
      default: 'v1',
      minSelections: 1,
      maxSelections: 1,
    });
    const multi = { kind: 'choice', multiple: true, options: options(3), default: ['v1', 'gone'] };
    expect(parsePrompt(multi)).toMatchObject({ default: ['v1'], minSelections: 0, maxSelections: 3 });
    expect(parsePrompt({ kind: 'task_confirm', tasks: [{ title: 'a' }] })).toMatchObject({
      tasks: [{ draftId: expect.any(String), priority: 'medium', status: 'todo', tags: [] }],
    });
    expect(parsePrompt({ kind: 'file_change_confirm', diff: '+ a\n' })).toMatchObject({ diff: '+ a\n', path: '' });
    expect(parsePrompt({ kind: 'result', content: ' kept as it is ' })).toMatchObject({ content: ' kept as it is ' });
  });

  it.each<[string, object, string]>([
    ['no kind', {}, 'prompt.kind'],
    ['an unknown kind', { kind: 'poll' }, 'prompt.kind is "poll"; expected kv, choice'],
    ['no fields', { kind: 'kv' }, 'prompt.fields'],
    ['51 fields', { kind: 'kv', fields: fields(51) }, 'a list of 51"; expected a list of 1 to 50'],
    ['a blank key', { kind: 'kv', fields: [{ key: ' ' }] }, 'prompt.fields[0].key is " "'],
    ['a key twice', { kind: 'kv', fields: [...fields(2), { key: 'k1' }] }, 'prompt.fields[].key is "k1"'],
    ['a flag that is none', { kind: 'kv', fields: [{ key: 'a', secret: 'yes' }] }, 'prompt.fields[0].secret is "yes"'],
    ['no options', { kind: 'choice', options: [] }, 'prompt.options'],
    ['61 options', { kind: 'choice', options: options(61) }, 'a list of 1 to 60'],
    ['a value twice', { kind: 'choice', options: [...options(1), { value: 'v0' }] }, 'prompt.options[].value is "v0"'],
    [
      'too many to choose',
      { kind: 'choice', multiple: true, options: options(2), maxSelections: 3 },
      'prompt.maxSelections is 3; expected a whole number from 1 to 2',
    ],
    [
      'more than the most',
      { kind: 'choice', multiple: true, options: options(3), minSelections: 3, maxSelections: 2 },
      'prompt.minSelections is 3',
    ],
    [
      'a strange priority',
      { kind: 'task_confirm', tasks: [{ priority: 'asap' }] },
      'prompt.tasks[0].priority is "asap"',
    ],
    ['a diff that is no text', { kind: 'file_change_confirm', diff: 3 }, 'prompt.diff is 3'],
    ['a result without text', { kind: 'result', markdown: ' ' }, 'prompt.markdown is " "'],
    ['a strange status', { kind: 'result', markdown: 'x', resultStatus: 'ok' }, 'prompt.resultStatus is "ok"'],
  ])('[UIP-16] with %s is refused by name', (_what, prompt, message) => {
    expect(() => parsePrompt(prompt)).toThrow(message);
  });
});

describe('a response', () => {
  it('[UIP-16] knows three words, and one for every way to cancel', () => {
    expect(parseResponse({ status: 'ok', values: { a: 'b' } })).toEqual({ status: 'ok', values: { a: 'b' } });
    expect(['cancel', 'cancelled', 'canceled'].map((status) => parseResponse({ status }).status)).toEqual(
      Array(3).fill('canceled'),
    );
    expect(() => parseResponse({ status: 'fine' })).toThrow(
      'response.status is "fine"; expected ok, canceled, timeout',
    );
    expect(() => parseResponse({ status: 'ok', values: { a: 1 } })).toThrow('response.values');
  });
});

describe('what is pending', () => {
  const request = (requestId: string, ts: string, runId?: string): PromptEntry => {
    const base = { ts, type: 'ui_prompt', action: 'request', requestId, prompt: { kind: 'kv' } } as const;
    return runId === undefined ? base : { ...base, runId };
  };

  it('[UIP-17] is the last request of each id without any response, oldest first', () => {
    const response = { ts: '1', type: 'ui_prompt', action: 'response', requestId: 'b', response: {} } as const;
    const entries = [response, request('c', '3'), request('b', '2'), request('a', '1'), request('c', '0')];
    expect(toPending(entries).map(({ requestId, ts }) => requestId + ts)).toEqual(['c0', 'a1']);
  });

  it('[UIP-17] shows the newest of the run first, else the newest', () => {
    const pending = toPending([request('a', '1', 'run'), request('b', '2')]);
    expect(toActive(pending, 'run')?.requestId).toBe('a');
    expect(toActive(pending, 'other')?.requestId).toBe('b');
  });
});
