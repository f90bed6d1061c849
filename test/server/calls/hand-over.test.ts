import { until, untilStatus } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHttp } from '../open-http.ts';
import { callModern, callToEnd, openPlain, readAdvice, taskOf, textOf } from '../plain-client.ts';

const SHORT = { giveUpMs: 200 };
const PROFILES = { plain: SHORT, raw: SHORT, patient: { giveUpMs: null } };
const ELICITATION = { capabilities: { elicitation: { form: {} } } };

async function open(options = {}) {
  const rig = await openHttp();
  const measure = { isDone: false };
  const url = await rig.serve({ profiles: PROFILES, ...options }, (server) => {
    server.tool('measure', {
      output: z.object({ metres: z.number() }),
      async run(_, task) {
        await until(() => task.signal.aborted || measure.isDone, { what: 'the measure' });
        return { metres: 3 };
      },
    });
    server.tool('sign', {
      async run(_, task) {
        const ask = (key: string) => task.ask({ key, message: `The ${key}?`, schema: z.object({ [key]: z.string() }) });
        const [{ name }, { place }] = await Promise.all([ask('name'), ask('place')]);
        return `signed by ${name} in ${place}`;
      },
    });
    server.tool('login', {
      async run(_, task) {
        await task.ask({ key: 'login', message: 'Sign in', url: 'https://example.test/in' });
        return 'signed in';
      },
    });
    server.tool('think', {
      async run(_, task) {
        return task.ask({ sampling: { messages: [], maxTokens: 1 } }).then(
          () => 'thought',
          (error: { code: string }) => error.code,
        );
      },
    });
  });
  return { rig, url, measure };
}

describe('a call that its client would give up on', () => {
  it('[HOLD-05] is handed over in words, and the tool they name gives the result', async () => {
    const { rig, url } = await open();
    const client = await openPlain(url);
    const handed = await client.call('wait');
    expect(handed.result).not.toHaveProperty('isError');
    const taskId = await rig.onlyTask();
    expect(taskOf(handed)).toMatchObject({ taskId, status: 'working' });
    const { name, args } = readAdvice(textOf(handed));
    expect(name).toBe('test_task_wait');
    await until(async () => (await rig.tasks.get(taskId)).progress, { what: 'progress' });
    const again = await client.call(name, args);
    expect(textOf(again)).toMatch(/^wait is still running, 50 % done \(waiting\)/);
    expect(taskOf(again)).toMatchObject({ taskId, status: 'working', progress: 0.5 });
    rig.open();
    expect(textOf(await callToEnd(client, name, args))).toBe('waited');
  });

  it('is handed over to a client of the modern era as well', async () => {
    const { rig, url } = await open();
    const handed = await callModern(url, 'wait');
    const { name, args } = readAdvice(textOf(handed));
    rig.open();
    await untilStatus(rig.tasks, await rig.onlyTask(), 'completed');
    expect(textOf(await callModern(url, name, { args }))).toBe('waited');
  });

  it('[HOLD-06] is handed over as an error when a schema was shown, and its result has the schema', async () => {
    const { url, measure } = await open();
    const client = await openPlain(url);
    const handed = await client.call('measure');
    expect(handed.result).toMatchObject({ isError: true });
    measure.isDone = true;
    const { name, args } = readAdvice(textOf(handed));
    expect((await callToEnd(client, name, args)).result).toMatchObject({ structuredContent: { metres: 3 } });
  });

  it('is not handed over when its client never gives up', async () => {
    const { rig, url } = await open();
    const client = await openPlain(url, { name: 'patient' });
    const calling = client.call('wait');
    await untilStatus(rig.tasks, await rig.onlyTask(), 'working');
    const other = await openPlain(url);
    await other.call('wait', { gate: 'another' });
    rig.open();
    expect(textOf(await calling)).toBe('waited');
    rig.open('another');
  });
});

describe('a question that its client cannot be asked', () => {
  it('[HOLD-07] is told in words at once, and the answer is followed by the result', async () => {
    const { rig, url } = await open({ profiles: { plain: { giveUpMs: null } } });
    const client = await openPlain(url);
    const handed = await client.call('confirm');
    expect(textOf(handed)).toContain('It asks: Sure?');
    const task_id = await rig.onlyTask();
    expect(taskOf(handed)).toMatchObject({ taskId: task_id, status: 'input_required' });
    expect(textOf(handed)).toContain(`test_task_answer and {"task_id":"${task_id}","key":"q1","content":{…}}`);
    const answered = await callToEnd(client, 'task_answer', { task_id, key: 'q1', content: { sure: true } });
    expect(textOf(answered)).toBe('sure: true');
  });

  it.each(['decline', 'cancel'])('[HOLD-07] can be answered with %s', async (action) => {
    const { rig, url } = await open();
    const client = await openPlain(url);
    await client.call('confirm');
    const answered = await callToEnd(client, 'task_answer', { task_id: await rig.onlyTask(), action });
    expect(answered.result).toMatchObject({ isError: true });
    expect((await rig.tasks.get(await rig.onlyTask())).questions[0]?.answer).toEqual({ action, by: 'plain' });
  });

  it('[HOLD-07] stays open when the answer is none, or is for another question', async () => {
    const { rig, url } = await open();
    const client = await openPlain(url);
    await client.call('confirm');
    const task_id = await rig.onlyTask();
    const bad = [{ content: { sure: 'perhaps' } }, {}, { key: 'q9', content: { sure: true } }, { action: 'shrug' }];
    for (const answer of bad) {
      const refused = await client.call('task_answer', { task_id, ...answer });
      expect(refused.result, JSON.stringify(answer)).toMatchObject({ isError: true });
    }
    expect(textOf(await client.call('task_answer', { task_id, key: 'q9' }))).toContain('open are q1');
    expect(textOf(await callToEnd(client, 'task_answer', { task_id, content: { sure: false } }))).toBe('sure: false');
    expect((await client.call('task_answer', { task_id, content: { sure: true } })).result).toMatchObject({
      isError: true,
    });
  });

  it('[HOLD-07] needs a key when several are open, and those that are left are told again', async () => {
    const { rig, url } = await open();
    const client = await openPlain(url);
    await client.call('sign');
    const task_id = await rig.onlyTask();
    // The second may have been asked after the first was handed over.
    await until(async () => (await rig.tasks.get(task_id)).questions.length === 2);
    const vague = await client.call('task_answer', { task_id, content: { name: 'Ada' } });
    expect(textOf(vague)).toBe('several questions are open; key is one of name, place');
    const half = await client.call('task_answer', { task_id, key: 'name', content: { name: 'Ada' } });
    expect(textOf(half)).toContain('The place?');
    expect(textOf(half)).not.toContain('The name?');
    const whole = await callToEnd(client, 'task_answer', { task_id, key: 'place', content: { place: 'London' } });
    expect(textOf(whole)).toBe('signed by Ada in London');
  });

  it('is an address to open when the tool asks for that', async () => {
    const { rig, url } = await open();
    const client = await openPlain(url, ELICITATION);
    const handed = await client.call('login');
    expect(textOf(handed)).toContain('Have them open https://example.test/in');
    const { name, args } = readAdvice(textOf(handed));
    expect([name, args]).toEqual(['test_task_answer', { task_id: await rig.onlyTask(), key: 'login' }]);
    expect(textOf(await callToEnd(client, name, args))).toBe('signed in');
  });

  it('is declined when nobody could answer it in words', async () => {
    const { url } = await open();
    expect(textOf(await (await openPlain(url, { name: 'patient' })).call('think'))).toBe('QUESTION_DECLINED');
  });
});
