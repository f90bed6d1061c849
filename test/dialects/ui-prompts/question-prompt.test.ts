import { describe, expect, it } from 'vitest';
import { parsePrompt } from '../../../src/dialects/ui-prompts/prompt/prompt.ts';
import { toQuestionAnswer, toQuestionPrompt } from '../../../src/dialects/ui-prompts/prompt/question-prompt.ts';

const form = (properties: object, more: object = {}) => ({
  request: { kind: 'form' as const, message: 'Who?', schema: { type: 'object', properties, ...more } as never },
});

describe('a question in the log of prompts', () => {
  it('[UIP-48] is a form of texts that every reader of the log can show', () => {
    const question = form(
      {
        name: { type: 'string', title: 'Name', description: 'As in the passport', default: 'Ada' },
        size: { type: 'string', enum: ['s', 'm'] },
        sure: { type: 'boolean', default: false },
        days: { type: 'array', items: { anyOf: [{ const: 'mo' }, { const: 'tu' }] } },
      },
      { required: ['name'] },
    );
    const prompt = toQuestionPrompt(question) ?? {};
    expect(parsePrompt(prompt)).toMatchObject({
      kind: 'kv',
      message: 'Who?',
      fields: [
        { key: 'name', label: 'Name', description: 'As in the passport', default: 'Ada', required: true },
        { key: 'size', label: 'size', description: '(s, m)', required: false },
        { key: 'sure', description: '(true, false)', default: 'false' },
        { key: 'days', description: '(separated by commas: mo, tu)' },
      ],
    });
    expect(toQuestionPrompt(question, 'Please answer again.')?.message).toBe('Who?\n\nPlease answer again.');
  });

  it('[UIP-48] that sends people to a page names it', () => {
    const request = { kind: 'url' as const, message: 'Sign in', url: 'https://example.com/in' };
    const prompt = parsePrompt(toQuestionPrompt({ request }));
    expect(prompt).toMatchObject({ kind: 'choice', message: 'Sign in\n\nhttps://example.com/in' });
    expect(toQuestionAnswer({ request }, { status: 'ok', selection: 'opened' })).toEqual({ action: 'accept' });
  });

  it('[UIP-48] is answered with what its form wants', () => {
    const question = form({
      name: { type: 'string' },
      age: { type: 'integer' },
      sure: { type: 'boolean' },
      days: { type: 'array' },
      empty: { type: 'number' },
    });
    const values = { name: 'Ada', age: '36', sure: 'yes', days: 'mo, tu', empty: '', unknown: 'x' };
    expect(toQuestionAnswer(question, { status: 'ok', values })).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36, sure: true, days: ['mo', 'tu'] },
    });
    // What is no number is the check's to refuse.
    expect(toQuestionAnswer(question, { status: 'ok', values: { age: 'old' } })).toMatchObject({
      content: { age: 'old' },
    });
    expect(toQuestionAnswer(question, { status: 'canceled' })).toEqual({ action: 'cancel' });
  });

  it('[UIP-49] is not asked there when its answer is secret, or for a program', () => {
    expect(toQuestionPrompt(form({ key: { type: 'string', format: 'password' } }))).toBeUndefined();
    expect(toQuestionPrompt(form({ key: { type: 'string', writeOnly: true } }))).toBeUndefined();
    expect(toQuestionPrompt({ request: { kind: 'roots' } })).toBeUndefined();
    expect(toQuestionPrompt({ request: { kind: 'sampling', params: {} } })).toBeUndefined();
    expect(toQuestionPrompt(form({}))).toBeUndefined();
  });
});
