import { randomBytes } from 'node:crypto';
import {
  aesGcmCodec,
  createEngine,
  createMemoryStore,
  type EngineOptions,
  type Json,
  type Task,
  toTaskError,
} from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openDriver } from '../../../src/sqlite/driver.ts';
import { toFingerprint } from '../../../src/task/json.ts';
import { openRig, type Rig } from '../../engine/open-rig.ts';
import { openSite } from '../../engine/workers/start-program.ts';
import { PATIENT } from '../patient.ts';
import { readFiles } from './read-files.ts';

const KEY = { id: 'k1', key: randomBytes(32) };
const OTHER = { id: 'k2', key: randomBytes(32) };
const codec = aesGcmCodec({ keys: [KEY] });

const TOOLS: EngineOptions['tools'] = {
  echo: { run: (args: Json) => args },
  fail: {
    run: () => {
      throw Object.assign(new Error('WORD-error'), { code: 'WORD-code', data: { why: 'WORD-errordata' } });
    },
  },
  talk: {
    idempotent: true,
    async run(args: Json, task) {
      await task.progress(0.5, 'WORD-progress');
      await task.log('info', 'WORD-log', { more: 'WORD-logdata' });
      await task.stream({ piece: 'WORD-stream' });
      await task.step('one', () => 'WORD-step');
      const answer = await task.ask({
        message: 'WORD-question',
        schema: { type: 'object', properties: { name: { type: 'string', title: 'WORD-schema' } } },
      });
      return { args, answer, result: 'WORD-result' };
    },
  },
};

/** Runs one task of every kind to its end. */
async function runAll(rig: Rig, options: Partial<EngineOptions>): Promise<Task> {
  const engine = await rig.engine(TOOLS, { ...PATIENT, ...options });
  const deliver = [{ topic: 'nobody', data: 'WORD-outbox' }];
  const { task } = await engine.submit('talk', { secret: 'WORD-args' }, { deliver });
  await until(async () => (await engine.get(task.taskId)).status === 'input_required');
  await engine.answer(task.taskId, { q1: { action: 'accept', content: { name: 'WORD-answer' } } });
  await engine.outcome(task.taskId);
  const long = await engine.submit('echo', { long: 'WORD-long'.repeat(2000) });
  await engine.outcome(long.task.taskId);
  const failed = await engine.submit('fail');
  await engine.outcome(failed.task.taskId);
  const cancelled = await (await rig.idleEngine({ idle: { run: () => 1 } }, { ...options, identity: 'idle' })).submit(
    'idle',
  );
  await engine.cancel(cancelled.task.taskId, { reason: 'WORD-reason' });
  return engine.get(task.taskId);
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'no error',
    (error) => toTaskError(error).code,
  );
}

describe('payloads at rest', () => {
  it('[SEC-451] without a codec every kind of payload is found in the file, with one none is', async () => {
    const plain = await openRig();
    await runAll(plain, {});
    const words = 'args answer code error log logdata long outbox progress question reason result schema step stream';
    const inClear = readFiles(plain.folder);
    expect(words.split(' ').filter((word) => !inClear.includes(`WORD-${word}`))).toEqual([]);
    const coded = await openRig();
    const task = await runAll(coded, { codec });
    expect(readFiles(coded.folder)).not.toMatch(/WORD/);
    expect(task).toMatchObject({
      args: { secret: 'WORD-args' },
      progress: { message: 'WORD-progress' },
      outcome: { kind: 'result', value: { answer: { name: 'WORD-answer' }, result: 'WORD-result' } },
      questions: [{ request: { message: 'WORD-question' }, answer: { content: { name: 'WORD-answer' } } }],
      deliver: [{ data: 'WORD-outbox' }],
    });
  });

  it('[SEC-545] with a codec the audit has no reason of a cancel; the task has it', async () => {
    const rig = await openRig();
    const engine = await rig.idleEngine(TOOLS, { codec, audit: true });
    const { task } = await engine.submit('echo', {});
    await engine.cancel(task.taskId, { reason: 'WORD-reason' });
    expect(await engine.outcome(task.taskId)).toMatchObject({ kind: 'cancelled', reason: 'WORD-reason' });
    expect(readFiles(rig.folder, /audit/)).toContain('"action":"cancelled"');
    expect(readFiles(rig.folder)).not.toMatch(/WORD/);
  });

  it('[SEC-452] what lay in clear before stays readable, and what comes is encoded', async () => {
    const rig = await openRig();
    const before = await rig.engine(TOOLS, PATIENT);
    const { task: old } = await before.submit('echo', { a: 'WORD-old' }, { idempotencyKey: 'k' });
    await before.outcome(old.taskId);
    const engine = await rig.engine(TOOLS, { ...PATIENT, codec });
    expect(await engine.outcome(old.taskId)).toEqual({ kind: 'result', value: { a: 'WORD-old' } });
    const { created } = await engine.submit('echo', { a: 'WORD-old' }, { idempotencyKey: 'k' });
    expect(created).toBe(false);
    const { task } = await engine.submit('echo', { a: 'NEWS' });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: { a: 'NEWS' } });
    expect(readFiles(rig.folder)).not.toMatch(/NEWS/);
  });

  it('[SEC-453] a store is not opened without its key or with a wrong one of that name, and nothing is lost', async () => {
    const rig = await openRig();
    const engine = await rig.idleEngine(TOOLS, { codec });
    const { task } = await engine.submit('echo', { a: 1 });
    await expect(rig.idleEngine(TOOLS)).rejects.toMatchObject({
      code: 'STORE_KEY_MISSING',
      message: expect.stringContaining('key k1'),
    });
    await expect(rig.idleEngine(TOOLS, { codec: aesGcmCodec({ keys: [OTHER] }) })).rejects.toMatchObject({
      code: 'STORE_KEY_MISSING',
      message: expect.stringMatching(/key k1.*has k2/),
    });
    const wrong = aesGcmCodec({ keys: [{ id: 'k1', key: randomBytes(32) }] });
    await expect(rig.idleEngine(TOOLS, { codec: wrong })).rejects.toMatchObject({ code: 'STORE_KEY_WRONG' });
    const again = await rig.engine(TOOLS, { ...PATIENT, codec: aesGcmCodec({ keys: [OTHER, KEY] }) });
    expect(await again.outcome(task.taskId)).toEqual({ kind: 'result', value: { a: 1 } });
    expect(await again.get(task.taskId)).toMatchObject({ attempt: 1, fence: 1 });
  });

  it('[SEC-454] a worker that cannot read a task gives it back unharmed, and says why', async () => {
    const store = createMemoryStore();
    const right = await createEngine({ name: 't', identity: 't', store, codec, tools: TOOLS });
    // Opened while everything could be read.
    const errors: unknown[] = [];
    const wrong = await createEngine({ name: 't', identity: 't', store, tools: TOOLS, onError: (e) => errors.push(e) });
    const { task } = await right.submit('echo', { a: 1 });
    await wrong.start();
    await until(() => errors.length > 0);
    await wrong.close();
    expect(errors[0]).toMatchObject({ code: 'STORE_KEY_MISSING' });
    expect(await right.get(task.taskId)).toMatchObject({ status: 'queued', args: { a: 1 } });
    const events = await store.tasks.events(task.taskId, 0, 10);
    // An attempt that was handed back is not counted when it is taken up again.
    expect(events.at(-1)).toMatchObject({ type: 'requeued', reason: 'handed-back' });
    await right.close();
    await store.close();
  });

  it('[SEC-455] payloads that were moved to another task, field or principal are refused', async () => {
    const rig = await openRig();
    const engine = await rig.engine(TOOLS, { ...PATIENT, codec });
    const submit = async (principal: string) => {
      const { task } = await engine.submit('echo', { of: principal }, { principal });
      await engine.outcome(task.taskId, { principal });
      return task.taskId;
    };
    const [adas, eves, more] = [await submit('ada'), await submit('eve'), await submit('ada')];
    const db = openDriver(rig.path, { readOnly: false });
    const run = (sql: string, ...ids: string[]) => db.prepare(sql).run(...ids);
    run('UPDATE task SET outcome = (SELECT outcome FROM task WHERE id = ?) WHERE id = ?', adas, eves);
    run("UPDATE task SET principal = 'eve' WHERE id = ?", adas);
    run(`UPDATE task SET outcome = '{"kind":"result","value":' || args || '}' WHERE id = ?`, more);
    db.close();
    // Others read the file with keys of their own, and no memory of what they wrote.
    const reader = await rig
      .idleEngine(TOOLS, { codec: aesGcmCodec({ keys: [KEY] }), store: await rig.reopen() })
      .catch((error) => error);
    expect(reader).toMatchObject({ code: 'STORE_KEY_WRONG' });
    for (const [taskId, principal] of [
      [eves, 'eve'],
      [adas, 'eve'],
      [more, 'ada'],
    ] as const) {
      expect(await codeOf(engine.get(taskId, { principal }))).toBe('STORE_KEY_WRONG');
    }
  });

  it('[SEC-456] texts that look like encoded ones are what they are, with a codec and without', async () => {
    for (const options of [{}, { codec }]) {
      const rig = await openRig();
      const engine = await rig.engine(TOOLS, { ...PATIENT, ...options });
      for (const text of [
        'hf:enc:1.k1.AAAA',
        'hf:text:x',
        'hf:part:{"a":"hf:secret:x"}',
        'hf:secret:1.local.AA',
        '(encoded)',
      ]) {
        for (const args of [text, { [text]: [text] }]) {
          const { task } = await engine.submit('echo', args);
          expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: args });
          expect((await engine.get(task.taskId)).args).toEqual(args);
        }
      }
    }
  });

  it('[SEC-457] equal calls are joined by keyed marks, also after the key has changed', async () => {
    const rig = await openRig();
    const engine = await rig.idleEngine(TOOLS, { codec });
    const args = { pin: '1234' };
    const hold = { key: 'same', graceMs: 1000 };
    const { task } = await engine.submit('echo', args, { idempotencyKey: 'k', hold });
    const files = readFiles(rig.folder);
    expect(files).not.toContain(toFingerprint(args));
    expect(files).not.toContain(toFingerprint(['test', 'same']));
    const later = await rig.idleEngine(TOOLS, { codec: aesGcmCodec({ keys: [OTHER, KEY] }) });
    const again = await later.submit('echo', args, { idempotencyKey: 'k' });
    expect([again.created, again.task.taskId]).toEqual([false, task.taskId]);
    expect(await codeOf(later.submit('echo', { pin: '1235' }, { idempotencyKey: 'k' }))).toBe('IDEMPOTENCY_CONFLICT');
  });

  it('[SEC-458] detached and isolated workers read and write with the codec of their program', async () => {
    const site = await openSite();
    const codecKey = { id: 'k1', key: KEY.key.toString('hex') };
    const program = site.start({ ...PATIENT, workers: 'detached', codecKey });
    const args = { apiKey: 'sk-12345', word: 'WORD' };
    const ids = [await program.submit('echo', args), await program.submit('aloneEcho', args)];
    const reader = await createEngine({ name: 'r', store: site.store, codec });
    for (const taskId of ids) {
      expect(await reader.outcome(taskId)).toEqual({ kind: 'result', value: args });
      expect((await reader.get(taskId)).args).toEqual({ apiKey: '******', word: 'WORD' });
    }
    await reader.close();
    await program.end();
    expect(readFiles(site.folder, /tasks\.db/)).not.toMatch(/WORD|sk-12345/);
  });
});
