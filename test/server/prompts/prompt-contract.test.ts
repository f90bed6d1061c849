/** Which calls the contract of prompts takes, what it answers, and where it writes. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnswer } from '../jobs/open-job-calls.ts';
import { postModern } from '../open-http.ts';
import { textOf } from '../plain-client.ts';
import { openPrompts, type PromptRig } from './open-prompts.ts';

let rig: PromptRig;

beforeAll(async () => {
  rig = await openPrompts();
});

afterAll(() => rig.close());

const NO_IDS = [undefined, null, '', '  ', '\n', 7, true, {}, ['t']].map((taskId) => [taskId]);

describe('a call of the contract of prompts', () => {
  it.each(NO_IDS)('[UIP-31] is refused with the task id %j, and nothing is made of it', async (taskId) => {
    const before = rig.runs.length;
    for (const [tool, key, message] of [
      ['run', 'taskId', 'taskId is required in _meta'],
      ['keyed', 'jobKey', 'taskId is required in _meta, as "jobKey"'],
      // An id under another key than the one agreed on is none.
      ['keyed', 'taskId', 'taskId is required in _meta, as "jobKey"'],
    ] as const) {
      const meta = { taskId: undefined, [key]: key === 'taskId' && tool === 'keyed' ? 'given' : taskId };
      const { error } = await rig.call('', {}, { tool, meta });
      expect(error, `${tool} ${key}`).toMatchObject({ code: -32602, message });
    }
    expect(rig.runs).toHaveLength(before);
  });

  it('[UIP-31] takes the id from the key that is agreed on, without blanks around it', async () => {
    await rig.call('', {}, { tool: 'keyed', meta: { taskId: undefined, jobKey: ' k-1 ' } });
    expect(await rig.untilTold('k-1')).toMatchObject([{ prompt: { markdown: 'keyed' } }]);
    await rig.call('', {}, { meta: { taskId: undefined, jobKey: 'k-2', asyncTask: { taskIdKey: 'jobKey' } } });
    expect(await rig.untilTold('k-2')).toHaveLength(1);
  });

  it('[UIP-30] is acknowledged as JSON, or in the words of the owner', async () => {
    const { result } = await rig.call('ack-1');
    expect(result).toMatchObject({ structuredContent: { status: 'accepted', taskId: 'ack-1' } });
    expect(JSON.parse(result?.content[0]?.text ?? '')).toEqual({ status: 'accepted', taskId: 'ack-1' });
    await rig.restart({ ackText: '调用成功' });
    const worded = await rig.call('ack-2');
    expect(textOf(worded)).toBe('调用成功');
    expect(worded.result?.structuredContent).toEqual({ status: 'accepted', taskId: 'ack-2' });
    expect(worded.others).toEqual([]);
    await rig.untilTold('ack-2');
  });

  it('[UIP-32] runs once, and has one prompt, however many connections send its id at once', async () => {
    const clients = await Promise.all([rig.connect(), rig.connect(), rig.connect()]);
    const before = rig.runs.length;
    const calls = Array.from({ length: 12 }, (_, index) => {
      const client = clients[index % clients.length];
      return rig.call('same', { gate: 'same' }, client && { client });
    });
    const acks = (await Promise.all(calls)).map(({ result }) => result?.structuredContent);
    expect(acks).toEqual(Array.from({ length: 12 }, () => ({ status: 'accepted', taskId: 'same' })));
    rig.open('same');
    expect(await rig.untilTold('same')).toMatchObject([{ prompt: { markdown: 'done' } }]);
    expect(rig.runs.length - before).toBe(1);
  });

  it('[UIP-32] joins the first one after a restart too', async () => {
    await rig.call('ended', { result: 'first' });
    expect(await rig.untilTold('ended')).toHaveLength(1);
    const before = rig.runs.length;
    await rig.restart();
    expect((await rig.call('ended', { result: 'first' })).error).toBeUndefined();
    expect((await rig.call('ended', { result: 'other' })).error).toMatchObject({ code: -32602 });
    await rig.call('after', {});
    await rig.untilTold('after');
    expect(await rig.untilTold('ended')).toMatchObject([{ prompt: { markdown: 'first' } }]);
    expect(rig.runs.length - before, 'only the other one ran').toBe(1);
  });

  it('[UIP-39] of a tool that is never a task is answered through the log all the same', async () => {
    expect((await rig.call('quick-1', {}, { tool: 'quick' })).result?.structuredContent).toEqual({
      status: 'accepted',
      taskId: 'quick-1',
    });
    expect(await rig.untilTold('quick-1')).toMatchObject([
      { prompt: { markdown: 'at once', resultStatus: 'completed' } },
    ]);
    await rig.call('quick-2', { error: 'no ink' }, { tool: 'quick' });
    expect(await rig.untilTold('quick-2')).toMatchObject([{ prompt: { markdown: 'no ink', resultStatus: 'failed' } }]);
  });

  it('[UIP-39] is acknowledged although its tool wants answers first: the work asks for them', async () => {
    const meta = { taskId: 'up-1', chatos: { uiApp: { stateDir: rig.dir, dataDir: rig.dir } } };
    const params = { name: 'upfront', arguments: {}, _meta: meta };
    const capabilities = { elicitation: { form: {} } };
    const answer = await readAnswer(await postModern(rig.url, { method: 'tools/call', params, capabilities }));
    expect(answer.result?.structuredContent).toEqual({ status: 'accepted', taskId: 'up-1' });
    await rig.untilStored('up-1', 'running');
    const cancel = { method: 'tasks/cancel', params: { taskId: 'up-1' }, tasks: true };
    await readAnswer(await postModern(rig.url, cancel));
    expect(await rig.untilTold('up-1')).toMatchObject([{ prompt: { resultStatus: 'aborted' } }]);
  });
});

describe('the directory that a client names', () => {
  const toMeta = (stateDir: unknown) => ({ chatos: { uiApp: { stateDir, dataDir: stateDir } } });

  it('[UIP-36] is used inside of the roots, also when it is not there yet', async () => {
    await rig.call('in-1', {}, { meta: toMeta(join(rig.dir, 'state', 'chatos')) });
    expect(await rig.untilTold('in-1', 'state/chatos/ui-prompts.jsonl')).toHaveLength(1);
    expect(await readdir(join(rig.dir, 'state', 'chatos'))).toContain('app_state.v1.json');
  });

  it('[UIP-36] [SEC-120] is refused outside of the roots, behind a link, and when it is no path', async () => {
    const outside = await openPrompts();
    try {
      await symlink(outside.dir, join(rig.dir, 'out'));
      await symlink(join(outside.dir, 'later'), join(rig.dir, 'dangling'));
      const dirs = [outside.dir, join(rig.dir, 'out'), join(rig.dir, 'out', 'deeper'), join(rig.dir, 'dangling')];
      const odd = [`${rig.dir}/../${outside.dir}`, '..', '/', 'state', `${rig.dir}\0`, 7, null, ['x']];
      for (const [index, stateDir] of [...dirs, ...odd].entries()) {
        const { error } = await rig.call(`out-${index}`, {}, { meta: toMeta(stateDir) });
        expect(error?.code, String(stateDir)).toBe(-32602);
        for (const name of ['_meta.chatos.uiApp.stateDir', 'promptRoots', '--state-root']) {
          expect(error?.message, String(stateDir)).toContain(name);
        }
      }
      expect((await readdir(outside.dir)).filter((name) => /jsonl|json|later|deeper/.test(name))).toEqual([]);
    } finally {
      await outside.close();
    }
  });

  it('[UIP-36] [SEC-104] is the own one of its principal when it names none', async () => {
    const own = join('store', 'prompts', createHash('sha256').update('local').digest('hex').slice(0, 32));
    for (const [index, stateDir] of [undefined, ''].entries()) {
      await rig.call(`own-${index}`, {}, { meta: toMeta(stateDir) });
      expect(await rig.untilTold(`own-${index}`, join(own, 'ui-prompts.jsonl'))).toHaveLength(1);
    }
  });

  it('[UIP-36] [SEC-100] does not name the log, and the task store only as its owner does', async () => {
    for (const uiPromptFile of ['../log', '/tmp/log', 'other.jsonl', '.bashrc']) {
      const { error } = await rig.call('leaves', {}, { meta: { asyncTask: { uiPromptFile } } });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('expected "ui-prompts.jsonl"') });
    }
    await rig.call('named', {}, { meta: { asyncTask: { stateFileName: '../state' } } });
    expect(await rig.untilStored('named', 'completed')).toMatchObject({ resultText: 'done' });
  });
});

describe('what cannot be written', () => {
  it('[SEC-114] is refused before it is acknowledged', async () => {
    const stateDir = join(rig.dir, 'no-log');
    const log = join(stateDir, 'ui-prompts.jsonl');
    const before = rig.runs.length;
    for (const make of [() => mkdir(log), () => writeFile(log, 'export PATH=/tmp\n'), () => symlink('/tmp', log)]) {
      await rm(stateDir, { recursive: true, force: true });
      await mkdir(stateDir);
      await make();
      const { error } = await rig.call('no-log', {}, { meta: { chatos: { uiApp: { stateDir } } } });
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('nothing can be written to the log'),
      });
    }
    expect(rig.runs).toHaveLength(before);
  });

  it('[UIP-40] is told, kept, and written once it can be', async () => {
    const log = join(rig.dir, 'blocked', 'ui-prompts.jsonl');
    rig.errors.length = 0;
    const meta = { chatos: { uiApp: { stateDir: join(rig.dir, 'blocked') } } };
    await rig.call('blocked', { gate: 'blocked' }, { meta });
    await mkdir(log, { recursive: true });
    rig.open('blocked');
    const error = (await until(() => rig.errors[0], { what: 'the warning' })) as Error;
    expect(error.message).toContain('will be tried again');
    expect(String((error.cause as Error).message)).toContain('is no plain file');
    await rm(log, { recursive: true });
    expect(await rig.untilTold('blocked', 'blocked/ui-prompts.jsonl')).toMatchObject([
      { prompt: { markdown: 'done' } },
    ]);
  });

  it('[UIP-40] is written by the next server when the first one could not', async () => {
    const log = join(rig.dir, 'blocked-2', 'ui-prompts.jsonl');
    rig.errors.length = 0;
    const meta = { chatos: { uiApp: { stateDir: join(rig.dir, 'blocked-2') } } };
    await rig.call('blocked-2', { gate: 'blocked-2' }, { meta });
    await mkdir(log, { recursive: true });
    rig.open('blocked-2');
    await until(() => rig.errors.length > 0, { what: 'the warning' });
    await rig.restart();
    await rm(log, { recursive: true });
    expect(await rig.untilTold('blocked-2', 'blocked-2/ui-prompts.jsonl')).toHaveLength(1);
  });

  it('[UIP-40] [UIP-29] as the end of a task, because the file of its app is broken, is no reason to lose the prompt or the file', async () => {
    const dataDir = join(rig.dir, 'broken');
    const file = join(dataDir, 'app_state.v1.json');
    await mkdir(dataDir);
    await writeFile(file, '{"windows":[{"id":"w1"');
    const call = rig.call('broken', {}, { meta: { chatos: { uiApp: { stateDir: rig.dir, dataDir } } } });
    await call;
    await until(async () => (await rig.prompts()).some(({ requestId }) => requestId === 'broken'));
    expect(await readFile(file, 'utf8')).toBe('{"windows":[{"id":"w1"');
    await writeFile(file, '{"windows":[{"id":"w1"}]}');
    const repaired = async () => JSON.parse(await readFile(file, 'utf8')) as { mcpTasks?: { status: string }[] };
    await until(async () => (await repaired()).mcpTasks?.[0]?.status === 'completed', { what: 'the end of the task' });
    expect(await repaired()).toMatchObject({ windows: [{ id: 'w1' }] });
    expect(await rig.untilTold('broken')).toHaveLength(1);
  });
});
