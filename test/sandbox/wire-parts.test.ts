/** What is kept and shown of messages, and what a model makes of a hand-over. */
import { describe, expect, it } from 'vitest';
import { FaultyFetch } from '../../src/sandbox/faults/faulty-fetch.ts';
import { readAdvice } from '../../src/sandbox/run-as/advice.ts';
import { EventText } from '../../src/sandbox/wire/event-text.ts';
import { tapFetch } from '../../src/sandbox/wire/tap-fetch.ts';
import { HeadTailBuffer, toWireMessage, WireMask } from '../../src/sandbox/wire/wire-record.ts';
import { WireRecorder } from '../../src/sandbox/wire/wire-recorder.ts';

describe('messages on the wire', () => {
  it('[SAND-201] are read along as they pass, requests, answers and every event of a stream', async () => {
    const heard: [string, string][] = [];
    const stream =
      'event: message\ndata: {"a":1}\n\n: quiet\n\nevent: other\ndata: {}\n\ndata: {"b"\ndata: :2}\r\n\r\n';
    const answers = [
      new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
      new Response('{"c":"é"}', { headers: { 'content-type': 'application/json' } }),
      new Response(null, { status: 202 }),
    ];
    const fetch = tapFetch(
      async () => answers.shift() as Response,
      (direction, text) => void heard.push([direction, text]),
    );
    const init = (body: string) => ({ method: 'POST', body });
    expect(await (await fetch('http://x', init('{"q":1}'))).text()).toBe(stream);
    expect(await (await fetch('http://x', init('{"q":2}'))).text()).toBe('{"c":"é"}');
    expect((await fetch('http://x', init('{"q":3}'))).status).toBe(202);
    expect(heard).toEqual([
      ['out', '{"q":1}'],
      ['in', '{"a":1}'],
      ['in', '{"b"\n:2}'],
      ['out', '{"q":2}'],
      ['in', '{"c":"é"}'],
      ['out', '{"q":3}'],
    ]);
  });

  it('[SAND-202] come whole, however the stream is cut', () => {
    const text = 'data: {"n":1}\n\ndata: {"n":2}\n\n';
    const events = new EventText();
    expect([...text].flatMap((part) => events.push(part))).toEqual(['{"n":1}', '{"n":2}']);
  });

  it('[SAND-203] show no secret: neither of arguments nor of answers, wherever it is said again', () => {
    const mask = new WireMask();
    mask.learn(
      { properties: { apiKey: { type: 'string' }, city: { type: 'string' } } },
      { apiKey: 'k-12345', city: 'Bern' },
    );
    const show = (message: object) => toWireMessage(mask, 'out', { at: 1, text: JSON.stringify(message) });
    const call = show({ id: 1, method: 'tools/call', params: { arguments: { apiKey: 'k-12345', city: 'Bern' } } });
    expect(call).toMatchObject({ label: 'tools/call', direction: 'out', at: 1 });
    expect(call.text).not.toContain('k-12345');
    expect(call.text).toContain('Bern');
    expect(show({ id: 1, result: { content: [{ type: 'text', text: 'used k-12345.' }] } }).text).toContain(
      'used ******.',
    );
    const requestedSchema = { properties: { password: { type: 'string' } } };
    show({ id: 'q', method: 'elicitation/create', params: { message: '?', requestedSchema } });
    const answer = show({ id: 'q', result: { action: 'accept', content: { password: 'hunter22' } } });
    expect(answer).toMatchObject({ label: 'result q' });
    expect(answer.text).not.toContain('hunter22');
    expect(toWireMessage(mask, 'in', { at: 2, text: 'no JSON, k-12345' })).toMatchObject({ text: 'no JSON, ******' });
  });

  it('[SAND-204] are kept in bounds: the first, the newest, and the beginning of long ones', () => {
    const few = new HeadTailBuffer<number>();
    for (let at = 0; at < 10_000; at++) few.add(at);
    expect(few.items).toHaveLength(500);
    expect([few.items[0], few.items.at(-1), few.dropped]).toEqual([0, 9999, 9500]);
    const text = JSON.stringify({ method: 'x'.repeat(500), params: { long: 'y'.repeat(100_000) } });
    const shown = toWireMessage(new WireMask(), 'in', { at: 0, text });
    expect(shown.text.length).toBeLessThanOrEqual(8000);
    expect(shown.label.length).toBeLessThanOrEqual(100);
    expect(shown.size).toBe(text.length);
  });
});

describe('a rough way', () => {
  const note = (n: number) => `id: ${n}\ndata: {"method":"notifications/progress","params":{"n":${n}}}\n\n`;
  const answer = 'data: {"id":1,"result":{}}\n\n';
  const asked = 'data: {"id":2,"method":"elicitation/create"}\n\n';
  const open = (text: string, type = 'text/event-stream') =>
    new FaultyFetch(async () => new Response(text, { headers: { 'content-type': type } }), 1);
  const read = async (way: FaultyFetch) => (await way.fetch('http://x')).text();

  it('[SAND-230] brings notifications twice or late, and everything else as it is', async () => {
    const text = note(1) + asked + note(2) + answer;
    expect(await read(open(text))).toBe(text);
    const double = open(text);
    double.begin('duplicate', 60_000);
    expect(await read(double)).toBe(note(1) + note(1) + asked + note(2) + note(2) + answer);
    const late = open(text);
    late.begin('delay', 60_000);
    expect(await read(late)).toBe(asked + answer + note(1) + note(2));
    const json = open('{"method":"x"}', 'application/json');
    json.begin('duplicate', 60_000);
    expect(await read(json)).toBe('{"method":"x"}');
  });
});

describe('the messages of a call', () => {
  const meta = (callId: string) => ({ 'holdfast/idempotencyKey': callId });
  const open = (known: Record<string, string> = {}) => {
    const findSchema = () => ({ properties: { token: { type: 'string' } } });
    const book = new WireRecorder({ findSchema, findCall: (taskId) => known[taskId] });
    const hear = (direction: 'in' | 'out', message: object) => book.record(direction, JSON.stringify(message));
    const labels = (callId: string) =>
      book.ofCall(callId).messages.map(({ direction, label }) => `${direction} ${label}`);
    return { book, hear, labels };
  };

  it('[SAND-206] are told from those of others by its id, its task and the requests that are answered', () => {
    const { book, hear, labels } = open({ old: 'c0' });
    hear('out', {
      id: 1,
      method: 'tools/call',
      params: { name: 't', arguments: { token: 'abcd' }, _meta: meta('c1') },
    });
    hear('out', { id: 2, method: 'tools/call', params: { name: 't', arguments: {}, _meta: meta('c2') } });
    hear('in', { method: 'notifications/progress', params: { progressToken: 'c2', progress: 1 } });
    hear('in', { id: 2, result: { task: { taskId: 't2' } } });
    hear('in', { id: 1, result: { resultType: 'task', taskId: 't1' } });
    hear('out', { id: 3, method: 'subscriptions/listen', params: { notifications: { taskIds: ['t1', 't2'] } } });
    hear('in', { method: 'notifications/tasks', params: { taskId: 't1', result: { said: 'abcd' } } });
    hear('in', {
      id: 'q',
      method: 'elicitation/create',
      params: { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 't2' } } },
    });
    hear('out', { id: 'q', result: { action: 'accept' } });
    hear('out', { id: 9, method: 'tools/list', params: {} });
    hear('in', { id: 9, result: { tools: [] } });
    hear('in', { method: 'notifications/tasks', params: { taskId: 'old' } });
    hear('in', { method: 'notifications/tasks', params: { taskId: 'unknown' } });
    book.record('in', 'no JSON');
    expect(labels('c1')).toEqual([
      'out tools/call',
      'in result 1',
      'out subscriptions/listen',
      'in notifications/tasks',
    ]);
    expect(labels('c2')).toEqual([
      ...['out tools/call', 'in notifications/progress', 'in result 2', 'out subscriptions/listen'],
      ...['in elicitation/create', 'out result q'],
    ]);
    expect(labels('c0')).toEqual(['in notifications/tasks']);
    expect(book.ofTask('t1')).toEqual(book.ofCall('c1'));
    expect(JSON.stringify(book.ofCall('c1'))).not.toContain('abcd');
  });

  it('[SAND-206] are few of each call, and of few calls', () => {
    const { book, hear } = open();
    for (let at = 0; at < 300; at++) {
      hear('out', { id: at, method: 'tools/call', params: { name: 't', arguments: {}, _meta: meta(`c${at}`) } });
    }
    expect(book.ofCall('c0').messages).toEqual([]);
    for (let at = 0; at < 1000; at++)
      hear('in', { method: 'notifications/progress', params: { progressToken: 'c299' } });
    expect(book.ofCall('c299').messages).toHaveLength(120);
    expect(book.ofCall('c299').left).toBe(881);
  });
});

describe('a model that reads a hand-over', () => {
  const handOver = (text: string) => ({
    content: [{ type: 'text', text }],
    _meta: { 'holdfast/task': { taskId: 't1' } },
  });

  it('[SAND-205] calls the tool that is named, asks its user first where it is told to, and takes a result as final', () => {
    const waiting = handOver('To get the result, call s_task_wait with {"task_id":"t1","turn":2}.');
    expect(readAdvice(waiting, ['s_task_wait'])).toEqual({ name: 's_task_wait', args: { task_id: 't1', turn: 2 } });
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const asking = handOver(
      `It asks: Really?\nGive their answer with task_answer and {"task_id":"t1","key":"k","content":{…}}, of the schema ${JSON.stringify(schema)}; …`,
    );
    expect(readAdvice(asking, ['task_answer'])).toEqual({
      name: 'task_answer',
      args: { task_id: 't1', key: 'k' },
      question: { message: 'Really?', schema },
    });
    expect(readAdvice({ content: [{ type: 'text', text: 'call task_wait' }] }, [])).toBeUndefined();
    expect(() => readAdvice(waiting, ['other'])).toThrow('there is no tool s_task_wait');
  });
});
