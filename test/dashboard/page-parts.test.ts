/** What the page computes before it draws anything. */
import { describe, expect, it } from 'vitest';
import type { TaskEvent } from '../../src/task/event.ts';
import type { Task } from '../../src/task/record.ts';
import { findFaults, toDefaults, toFields } from '../../web/src/form/schema.ts';
import { parseMarkdown, toSafeLink } from '../../web/src/result/markdown.ts';
import { toTimeline } from '../../web/src/tasks/spans.ts';
import { EN } from '../../web/src/texts/en.ts';
import { ZH } from '../../web/src/texts/zh.ts';

const task = (part: Partial<Task>) => ({ createdAt: 1000, deliver: [], questions: [], ...part }) as unknown as Task;
const events = (...bodies: readonly object[]) => bodies.map((body, at) => ({ seq: at + 1, ...body })) as TaskEvent[];

describe('the timeline of a task', () => {
  it('[SAND-130] tells the time in the queue from that at work, with a bar per attempt, and why one was lost', () => {
    const history = events(
      { type: 'submitted', at: 1000 },
      { type: 'claimed', attempt: 1, fence: 1, worker: 'a', at: 1500 },
      { type: 'stepped', name: 'fetch', at: 2500 },
      { type: 'requeued', reason: 'worker-lost', runAt: 0, at: 3000 },
      { type: 'claimed', attempt: 2, fence: 2, worker: 'b', at: 3200 },
      { type: 'asked', key: 'sure', at: 4000 },
      { type: 'answered', key: 'sure', answer: { action: 'accept' }, at: 6000 },
      { type: 'ended', status: 'completed', outcome: 'result', at: 7000 },
    );
    const delivered = task({ endedAt: 7000, deliver: [{ topic: 'mail' }] });
    const timeline = toTimeline(delivered, history, { now: 9000 });
    expect(timeline.spans.map(({ kind, name, from, to, end }) => [kind, name, from, to, end])).toEqual([
      ['queue', '', 1000, 1500, 'good'],
      ['attempt', '1', 1500, 3000, 'lost'],
      ['step', 'fetch', 1500, 2500, 'good'],
      ['queue', '', 3000, 3200, 'good'],
      ['attempt', '2', 3200, 7000, 'good'],
      ['question', 'sure', 4000, 6000, 'good'],
      ['delivery', 'mail', 7000, 7000, 'good'],
    ]);
    expect(timeline).toMatchObject({ queueMs: 700, workMs: 3300, waitMs: 2000, from: 1000, to: 7000 });
  });

  it('[SAND-131] goes on until now while the task does', () => {
    const history = events({ type: 'claimed', attempt: 1, fence: 1, worker: 'a', at: 2000 });
    expect(toTimeline(task({}), history, { now: 5000 }).spans.at(-1)).toMatchObject({
      kind: 'attempt',
      to: 5000,
      end: 'open',
    });
    expect(toTimeline(task({}), [], { now: 5000 }).spans).toEqual([
      { kind: 'queue', name: '', from: 1000, to: 5000, end: 'open' },
    ]);
  });

  it('[SAND-288] has the programs of attempts, kept steps, and deliveries that wait', () => {
    const history = events(
      { type: 'submitted', rerunOf: 'first', at: 1000 },
      { type: 'stepped', name: 'read', at: 1000 },
      { type: 'claimed', attempt: 1, fence: 1, worker: 'a', at: 1500 },
      { type: 'spawned', pid: 7, command: 'sort', at: 2000 },
      { type: 'spawned', pid: 8, command: 'cat', at: 2000 },
      { type: 'spawned', pid: 9, command: 'dog', at: 2500 },
      { type: 'exited', pid: 7, code: 0, signal: null, at: 3000 },
      { type: 'exited', pid: 9, code: null, signal: 'SIGKILL', at: 3000 },
      { type: 'requeued', reason: 'worker-lost', runAt: 0, at: 4000 },
      { type: 'claimed', attempt: 2, fence: 2, worker: 'b', at: 4000 },
      { type: 'ended', status: 'completed', outcome: 'result', at: 5000 },
    );
    const ended = task({ endedAt: 5000, deliver: [{ topic: 'mail' }, { topic: 'bell' }] });
    const timeline = toTimeline(ended, history, { now: 9000, undelivered: [{ topic: 'bell', tries: 3 }] });
    const shown = timeline.spans.filter(({ kind }) => kind !== 'queue' && kind !== 'attempt');
    expect(shown).toEqual([
      { kind: 'step', name: 'read', from: 1000, to: 1000, end: 'good', note: 'kept' },
      { kind: 'process', name: 'sort 7', from: 2000, to: 3000, end: 'good' },
      { kind: 'process', name: 'cat 8', from: 2000, to: 4000, end: 'lost' },
      { kind: 'process', name: 'dog 9', from: 2500, to: 3000, end: 'bad', note: 'SIGKILL' },
      { kind: 'delivery', name: 'mail', from: 5000, to: 5000, end: 'good' },
      { kind: 'delivery', name: 'bell', from: 5000, to: 9000, end: 'open', note: '3 ×' },
    ]);
    expect(timeline.to).toBe(9000);
  });
});

describe('markdown of a stranger', () => {
  it('[SAND-132] becomes blocks of known kinds; HTML in it stays text', () => {
    expect(parseMarkdown('# a\n\n<b onclick="x">b</b>').map(({ type }) => type)).toEqual(['heading', 'paragraph']);
    expect(parseMarkdown('<script>x</script>')).toEqual([
      { type: 'paragraph', parts: [{ type: 'text', text: '<script>x</script>' }] },
    ]);
    const [list] = parseMarkdown('- one\n- **two**');
    expect(list).toMatchObject({ type: 'list', items: [[{ text: 'one' }], [{ type: 'strong' }]] });
    const [table] = parseMarkdown('| a | b |\n| --- | --- |\n| 1 | 2 |');
    expect(table).toMatchObject({ type: 'table', rows: [[[{ text: '1' }], [{ text: '2' }]]] });
    const fence = parseMarkdown('```js\nlet a = 1;\n');
    expect(fence).toEqual([{ type: 'code', language: 'js', text: 'let a = 1;\n' }]);
  });

  it('[SAND-133] has links to pages and mail only', () => {
    for (const bad of [
      'javascript:x',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'file:///etc/passwd',
      'vbscript:x',
      '//x',
      ' ',
    ])
      expect(toSafeLink(bad)).toBeUndefined();
    expect(toSafeLink('https://a.example/b')).toBe('https://a.example/b');
    const [paragraph] = parseMarkdown('[x](javascript:alert(1)) https://a.example');
    expect(JSON.stringify(paragraph)).toContain('"href":"https://a.example/"');
    expect(JSON.stringify(paragraph)).not.toContain('"href":"javascript');
  });

  it('[SAND-134] of any length and nesting is read in time', () => {
    expect(parseMarkdown(`${'>'.repeat(5000)}a`)).toHaveLength(1);
    expect(parseMarkdown('*_[`'.repeat(20_000)).length).toBeGreaterThan(0);
    expect(parseMarkdown('| a '.repeat(20_000)).length).toBeGreaterThan(0);
  });
});

describe('a form from a schema', () => {
  it('[SAND-135] has a field of its kind for each property, with defaults, choices and secrets', () => {
    const fields = toFields(
      {
        properties: {
          name: { type: 'string', description: 'who' },
          age: { type: 'integer' },
          mood: { enum: ['good', 'bad'], enumNames: ['Good', 'Bad'] },
          tags: { type: 'array', items: { enum: ['a', 'b'] } },
          key: { type: 'string' },
          deep: { type: 'object' },
          ok: { type: 'boolean', default: true },
        },
        required: ['name', 'age'],
      },
      ['key'],
    );
    expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
      ['name', 'text'],
      ['age', 'whole'],
      ['mood', 'choice'],
      ['tags', 'choices'],
      ['key', 'text'],
      ['deep', 'json'],
      ['ok', 'flag'],
    ]);
    expect(fields[2]?.options).toEqual([
      { value: 'good', label: 'Good' },
      { value: 'bad', label: 'Bad' },
    ]);
    expect(fields[4]?.isSecret).toBe(true);
    expect(toDefaults(fields)).toEqual({ ok: true });
    expect(findFaults(fields, {})).toEqual({ name: 'fieldRequired', age: 'fieldRequired' });
    expect(findFaults(fields, { name: '', age: 1.5 })).toEqual({ age: 'fieldWhole' });
    expect(findFaults(fields, { name: 'x', age: 'x' })).toEqual({ age: 'fieldNumber' });
    expect(toFields(null)).toEqual([]);
  });
});

describe('the words of the page', () => {
  it('[SAND-136] are all there in Chinese, with the same places for values', () => {
    const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
    for (const key of Object.keys(EN) as (keyof typeof EN)[]) {
      expect(ZH[key].trim(), key).not.toBe('');
      expect(places(ZH[key]), key).toEqual(places(EN[key]));
    }
  });
});
