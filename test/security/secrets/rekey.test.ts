import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aesGcmCodec, type EngineOptions, type Json, rekeySqliteStore } from 'holdfast';
import { openSqliteLedger, rekeySqliteLedger, withLedgerCodec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { runProgram, runUntilKilled } from '../../crash/judge.ts';
import { openRig, type Rig } from '../../engine/open-rig.ts';
import { PATIENT } from '../patient.ts';
import { readFiles } from './read-files.ts';

const toKey = (id: string) => ({ id, key: randomBytes(32).toString('base64') });
const [OLD, NEW] = [toKey('old'), toKey('new')];
const both = aesGcmCodec({ keys: [NEW, OLD] });
const onlyNew = aesGcmCodec({ keys: [NEW] });

const TOOLS: EngineOptions['tools'] = {
  talk: {
    redact: ['apiKey'],
    async run(args: Json, task) {
      await task.progress(0.5, 'WORD-progress');
      await task.log('info', 'WORD-log', 'WORD-data');
      await task.step('one', () => 'WORD-step');
      const answer = await task.ask({ message: 'WORD-question', schema: { type: 'object' } });
      return { args, answer };
    },
  },
};

const ARGS = { word: 'WORD-args', long: 'WORD-long'.repeat(600), apiKey: 'WORD-key' };
const DONE = { kind: 'result', value: { args: ARGS, answer: { a: 'WORD-answer' } } };

/** Tasks that have ended, one that waits for an answer, one that is queued: all with these options. */
async function fill(rig: Rig, options: Partial<EngineOptions>, count = 3): Promise<string[]> {
  const engine = await rig.engine(TOOLS, { ...PATIENT, ...options });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const deliver = [{ topic: 'nobody', data: 'WORD-outbox' }];
    const { task } = await engine.submit('talk', ARGS, { deliver, idempotencyKey: `k${n}` });
    ids.push(task.taskId);
    await until(async () => (await engine.get(task.taskId)).status === 'input_required');
    await engine.answer(task.taskId, { q1: { action: 'accept', content: { a: 'WORD-answer' } } });
    await engine.outcome(task.taskId);
  }
  const idle = await rig.idleEngine(TOOLS, { ...options, identity: 'idle' });
  ids.push((await idle.submit('talk', ARGS)).task.taskId);
  await engine.close();
  await idle.close();
  await rig.store.close();
  return ids;
}

/** Everything is there, and read with the new key alone. */
async function expectWhole(rig: Rig, ids: readonly string[]): Promise<void> {
  const store = await rig.reopen();
  const engine = await rig.engine(TOOLS, { ...PATIENT, codec: onlyNew, store });
  const queued = ids.at(-1) ?? '';
  for (const taskId of ids.slice(0, -1)) {
    expect(await engine.outcome(taskId)).toEqual(DONE);
    const events = [];
    for await (const event of engine.watch(taskId)) events.push(event);
    expect(JSON.stringify(events)).toMatch(/WORD-progress.*WORD-log.*WORD-data.*WORD-question.*WORD-answer/);
    expect(await engine.get(taskId)).toMatchObject({
      deliver: [{ data: 'WORD-outbox' }],
      progress: { message: 'WORD-progress' },
    });
  }
  expect((await engine.submit('talk', ARGS, { idempotencyKey: 'k0' })).task.taskId).toBe(ids[0]);
  expect((await engine.get(queued)).args).toEqual({ ...ARGS, apiKey: '******' });
  const worker = await rig.engine(TOOLS, { ...PATIENT, codec: onlyNew, store, identity: 'idle' });
  await until(async () => (await worker.get(queued)).status === 'input_required');
  await worker.answer(queued, { q1: { action: 'accept', content: { a: 'WORD-answer' } } });
  expect(await worker.outcome(queued)).toEqual(DONE);
}

describe('rekey', () => {
  it('[SEC-460] gives every payload the key that writes; what has it already is left alone', async () => {
    const rig = await openRig();
    const ids = await fill(rig, { codec: aesGcmCodec({ keys: [OLD] }) });
    expect(readFiles(rig.folder)).toContain('.old.');
    expect(await rekeySqliteStore({ path: rig.path, codec: both, vacuum: true })).toMatchObject({ failed: 0 });
    expect(readFiles(rig.folder).includes('.old.')).toBe(false);
    expect(await rekeySqliteStore({ path: rig.path, codec: both })).toEqual({ changed: 0, failed: 0 });
    await expectWhole(rig, ids);
  });

  it('[SEC-461] encodes what lay in clear, and leaves nothing of it in the file', async () => {
    const rig = await openRig();
    const ids = await fill(rig, {});
    expect(readFiles(rig.folder)).toMatch(/WORD-args/);
    const keys = join(rig.folder, 'keys');
    await writeFile(keys, `# keys\n\n${NEW.id} ${NEW.key}\n`, { mode: 0o600 });
    const { code, stdout } = await runCli(['store', 'rekey', '--store', rig.path, '--key-file', keys, '--vacuum']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ payloads encoded\n$/) });
    expect(/WORD-/.test(readFiles(rig.folder))).toBe(false);
    await expectWhole(rig, ids);
  });

  it.each([
    ['rekey:before', 1],
    ['rekey:after', 1],
    ['rekey:before', 3],
    ['rekey:after', 3],
  ])('[SEC-462] killed at %s, the %d. time, it loses nothing, and the next one goes on', async (point, hit) => {
    const rig = await openRig();
    const ids = await fill(rig, { codec: aesGcmCodec({ keys: [OLD] }) });
    const keys = JSON.stringify([NEW, OLD]);
    await runUntilKilled('rekey', rig.path, keys, point, String(hit));
    const reader = await rig.idleEngine(TOOLS, { codec: both, store: await rig.reopen() });
    for (const taskId of ids.slice(0, -1)) expect(await reader.outcome(taskId)).toEqual(DONE);
    const { code, stderr } = await runProgram('rekey', rig.path, keys);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    await expectWhole(rig, ids);
  });

  it('[SEC-463] runs beside a worker that has all keys, and what that writes meanwhile is kept', async () => {
    const rig = await openRig();
    await fill(rig, { codec: aesGcmCodec({ keys: [OLD] }) });
    const engine = await rig.engine(
      { echo: { run: (args: Json) => args } },
      { codec: aesGcmCodec({ keys: [OLD, NEW] }), store: await rig.reopen() },
    );
    const work = Array.from({ length: 40 }, async (_, n) => {
      const { task } = await engine.submit('echo', { n });
      return engine.outcome(task.taskId);
    });
    const rekeyed = rekeySqliteStore({ path: rig.path, codec: both });
    expect(await Promise.all(work)).toEqual(work.map((_, n) => ({ kind: 'result', value: { n } })));
    expect(await rekeyed).toMatchObject({ failed: 0 });
  });

  it('[SEC-464] without the old key it says which is missing, and changes nothing that it cannot read', async () => {
    const rig = await openRig();
    const ids = await fill(rig, { codec: aesGcmCodec({ keys: [OLD] }) });
    const keys = join(rig.folder, 'keys');
    await writeFile(keys, `${NEW.id} ${NEW.key}\n`, { mode: 0o600 });
    const { code, stderr } = await runCli(['store', 'rekey', '--store', rig.path, '--key-file', keys]);
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(/rows could not be read.*key old/) });
    const reader = await rig.idleEngine(TOOLS, { codec: aesGcmCodec({ keys: [OLD] }), store: await rig.reopen() });
    for (const taskId of ids.slice(0, -1)) expect(await reader.outcome(taskId)).toEqual(DONE);
  });

  it('[SEC-465] does the same for a ledger, killed on the way or not', async () => {
    const rig = await openRig();
    const path = join(rig.folder, 'calls.db');
    const ledger = withLedgerCodec(openSqliteLedger({ path }), {
      codec: aesGcmCodec({ keys: [OLD] }),
      redact: ['apiKey'],
    });
    for (const callId of ['a', 'b', 'c']) {
      await ledger.create({
        callId,
        server: 's',
        tool: 't',
        args: ARGS,
        meta: { m: 'WORD-meta' },
        origin: { spec: { command: 'node', env: { KEY: 'WORD-origin' } } },
        owner: 'o',
        createdAt: 1,
      });
      await ledger.setHandle(callId, { dialect: 'job', jobId: 'WORD-job' });
      await ledger.answer(callId, 'q', { action: 'accept', content: { a: 'WORD-answer' } });
    }
    await ledger.settle('a', { kind: 'error', error: { code: -1, message: 'WORD-error' } });
    await ledger.close();
    expect(/WORD-/.test(readFiles(rig.folder))).toBe(false);
    await runUntilKilled('rekey', path, JSON.stringify([NEW, OLD]), 'rekey:after');
    expect(await rekeySqliteLedger({ path, codec: both, vacuum: true })).toEqual({ changed: 0, failed: 0 });
    expect(readFiles(rig.folder).includes('.old.')).toBe(false);
    const later = withLedgerCodec(openSqliteLedger({ path }), { codec: onlyNew });
    expect(await later.get('a')).toMatchObject({
      args: { ...ARGS, apiKey: '******' },
      meta: { m: 'WORD-meta' },
      handle: { dialect: 'job', jobId: 'WORD-job' },
      outcome: { kind: 'error', error: { code: -1, message: 'WORD-error' } },
    });
    expect(await later.findAnswer('b', 'q')).toEqual({ action: 'accept', content: { a: 'WORD-answer' } });
    await later.close();
  });
});
