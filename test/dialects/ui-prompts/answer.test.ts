import { describe, expect, it } from 'vitest';
import { parseAnswer, parseCancel } from '../../../src/dialects/ui-prompts/prompt/answer.ts';
import { parsePrompt } from '../../../src/dialects/ui-prompts/prompt/prompt.ts';

const KV = parsePrompt({
  kind: 'kv',
  fields: [
    { key: 'user', required: true },
    { key: 'city', default: 'Rome' },
    { key: 'pass', secret: true },
  ],
});
const options = [{ value: 'red' }, { value: 'blue' }, { value: 'green' }];
const ONE = parsePrompt({ kind: 'choice', options });
const SOME = parsePrompt({ kind: 'choice', options, multiple: true, minSelections: 1, maxSelections: 2 });
const TASKS = parsePrompt({ kind: 'task_confirm', tasks: [{ draftId: 'd1', title: 'Cut' }], defaultRemark: 'usual' });
const FILE = parsePrompt({ kind: 'file_change_confirm', diff: '+a' });
const RESULT = parsePrompt({ kind: 'result', markdown: 'done' });

describe('an answer', () => {
  it('[CLI-13] becomes a response of the kind of its prompt, with defaults for what was left out', () => {
    const values = { user: 'ada', city: 'Rome', pass: 'x' };
    expect(parseAnswer(KV, { user: 'ada', pass: 'x' })).toEqual({ status: 'ok', values });
    expect(parseAnswer(ONE, 'red')).toEqual({ status: 'ok', selection: 'red' });
    expect(parseAnswer(SOME, ['red', 'blue'])).toEqual({ status: 'ok', selection: ['red', 'blue'] });
    expect(parseAnswer(SOME, 'red')).toEqual({ status: 'ok', selection: ['red'] });
    expect(parseAnswer(TASKS, {})).toMatchObject({ status: 'ok', tasks: [{ title: 'Cut' }], remark: 'usual' });
    expect(parseAnswer(TASKS, { tasks: [], remark: 'none' })).toEqual({ status: 'ok', tasks: [], remark: 'none' });
    expect(parseAnswer(FILE, { remark: 'fine' })).toEqual({ status: 'ok', remark: 'fine' });
    expect(parseAnswer(RESULT, {})).toEqual({ status: 'ok' });
    expect(parseCancel(KV)).toEqual({ status: 'canceled' });
  });

  it.each([
    [KV, {}, 'user is undefined; expected a text that is not blank'],
    [KV, { user: 7 }, 'user is 7; expected a text'],
    [KV, { user: 'a', town: 'x' }, 'a key of the answer is "town"; expected user, city, pass'],
    [KV, 'ada', 'the answer is "ada"; expected an object'],
    [ONE, 'pink', 'the answer is "pink"; expected "red", "blue", "green"'],
    [ONE, ['red'], 'expected "red", "blue", "green"'],
    [SOME, [], 'expected a list of 1 to 2'],
    [SOME, ['red', 'red'], 'the answer is "red"'],
    [SOME, ['red', 'blue', 'green'], 'expected a list of 1 to 2'],
    [TASKS, { tasks: [{ priority: 'huge' }] }, 'priority is "huge"'],
    [FILE, { remarks: 'x' }, 'a key of the answer is "remarks"; expected remark'],
    [RESULT, { text: 'x' }, 'expected none: {}'],
    [{ kind: 'dance' }, {}, 'prompt.kind is "dance"'],
  ])('[CLI-13] that does not fit %j is refused: %j', (prompt, answer, why) => {
    expect(() => parseAnswer(prompt, answer)).toThrow(why);
  });

  it('[CLI-14] that is a wrong secret is not repeated', () => {
    expect(() => parseAnswer(KV, { user: 'ada', pass: 12345 })).toThrow(/^(?!.*12345)pass is/);
  });

  it('is not turned away from a prompt that does not allow it', () => {
    expect(() => parseCancel(parsePrompt({ ...RESULT, allowCancel: false }))).toThrow('does not allow a cancel');
  });

  it('is taken for prompts of foreign writers too', () => {
    const prompt = { kind: ' choice ', options: [{ value: 'a' }, 'junk', {}], multiple: true, maxSelections: 99 };
    expect(parseAnswer(prompt, ['a'])).toEqual({ status: 'ok', selection: ['a'] });
    expect(parseAnswer({ kind: 'kv', fields: [null, { key: 'k' }, { key: 7 }] }, { k: 'v' })).toMatchObject({
      values: { k: 'v' },
    });
  });
});
