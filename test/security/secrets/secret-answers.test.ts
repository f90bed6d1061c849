import { stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, createTaskClient, type EngineOptions, type Json, OPERATOR, withCodec } from 'holdfast';
import { openSqliteLedger, withLedgerCodec } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { findSecretFields } from '../../../src/codec/secret-fields.ts';
import { maskSecrets } from '../../../src/codec/secret-tree.ts';
import { runCli } from '../../cli/run-cli.ts';
import { openLightRig } from '../../engine/open-rig.ts';
import { openSite } from '../../engine/workers/start-program.ts';
import { openDesk, textOf } from '../../host/open-host.ts';
import { PATIENT } from '../patient.ts';
import { readFiles } from './read-files.ts';

const PASSWORD = 'hunter2-SECRET';
const CONTENT = { user: 'ada', password: PASSWORD };
const SCHEMA = { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string', secret: true } } };

const TOOLS: EngineOptions['tools'] = {
  logIn: {
    async run(_args: Json, task) {
      const answer = (await task.ask({ message: 'Who are you?', schema: SCHEMA })) as { password: string };
      return { length: answer.password.length, isRight: answer.password === PASSWORD };
    },
  },
};

const secret = (more: object) => ({ type: 'object', properties: { a: { type: 'string' }, b: more } });

describe('secret answers', () => {
  it.each([
    [secret({ format: 'password' }), { a: 'x', b: 'y' }, { a: 'x', b: '******' }],
    [secret({ writeOnly: true }), { a: 'x', b: { c: 1 } }, { a: 'x', b: '******' }],
    [secret({ secret: 'yes' }), { a: 'x', b: 'y' }, { a: 'x', b: '******' }],
    [secret({ secret: false, writeOnly: false }), { a: 'x', b: 'y' }, { a: 'x', b: 'y' }],
    [secret({ anyOf: [{ type: 'null' }, { format: 'password' }] }), { b: 'y' }, { b: '******' }],
    [secret({ type: 'array', items: { secret: true } }), { b: ['y', 'z'] }, { b: ['******', '******'] }],
    [secret({ $ref: '#/$defs/p' }), { b: 'y' }, { b: 'y' }],
    [{ ...secret({ $ref: '#/$defs/p' }), $defs: { p: { secret: true } } }, { b: 'y' }, { b: '******' }],
    [{ ...secret({ $ref: '#/$defs/p' }), $defs: { p: { $ref: '#/$defs/p' } } }, { b: 'y' }, { b: 'y' }],
    [{ type: 'object', additionalProperties: { secret: true } }, { x: 1 }, { x: '******' }],
    [{ type: 'object', patternProperties: { '^p': { secret: true } } }, { pin: 1 }, { pin: '******' }],
  ])('[SEC-480] %j says what is secret', (schema, content, masked) => {
    expect(maskSecrets(content, findSecretFields(schema, content))).toEqual(masked);
  });

  it('[SEC-481] a tool gets them; the file, events, records and the command line never show them', async () => {
    const rig = await openLightRig();
    const engine = await rig.engine(TOOLS, PATIENT);
    const { task } = await engine.submit('logIn');
    await until(async () => (await engine.get(task.taskId)).status === 'input_required');
    const answered = await engine.answer(task.taskId, { q1: { action: 'accept', content: CONTENT } });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: { length: 14, isRight: true } });
    const events = [];
    for await (const event of engine.watch(task.taskId)) events.push(event);
    const shown = [answered, events, await engine.get(task.taskId), (await engine.list()).tasks];
    expect(JSON.stringify(shown)).not.toContain(PASSWORD);
    const masked = { action: 'accept', content: { user: 'ada', password: '******' } };
    expect(events.find(({ type }) => type === 'answered')).toMatchObject({ answer: masked });
    expect((await engine.get(task.taskId)).questions[0]?.answer).toEqual(masked);
    for (const command of ['show', 'tail']) {
      const { stdout } = await runCli(['tasks', command, task.taskId, '--store', rig.path]);
      expect(stdout).toMatch(/"password":"\*{6}"/);
    }
    expect(readFiles(rig.folder)).not.toContain(PASSWORD);
  });

  it('[SEC-542] a tool that repeats them in progress, logs, streams and errors shows a mask, also when it is run again', async () => {
    const rig = await openLightRig();
    const talk: EngineOptions['tools'] = {
      talk: {
        idempotent: true,
        retry: { maxAttempts: 2, firstDelayMs: 1, when: () => true },
        async run(_args: Json, task) {
          const ask = () => task.ask({ key: 'login', message: 'Who are you?', schema: SCHEMA });
          // A later attempt knows the answer before it asks.
          const { password } = (task.attempt === 1 ? await ask() : CONTENT) as typeof CONTENT;
          await task.progress(0.5, `with ${password}`);
          await task.log('info', `password=${password};`, { seen: [password] });
          await task.stream({ line: `> ${password}` });
          throw Object.assign(new Error(`no access for ada:${password}@host`), { code: -1, data: { password } });
        },
      },
    };
    const engine = await rig.engine(talk, PATIENT);
    const { task } = await engine.submit('talk');
    await until(async () => (await engine.get(task.taskId)).status === 'input_required');
    await engine.answer(task.taskId, { login: { action: 'accept', content: CONTENT } });
    const outcome = await engine.outcome(task.taskId);
    expect(outcome).toMatchObject({
      error: { message: 'no access for ada:******@host', data: { password: '******' } },
    });
    expect((await engine.get(task.taskId)).attempt).toBe(2);
    expect(readFiles(rig.folder)).not.toContain(PASSWORD);
  });

  it('[SEC-482] an answer given on the command line is sealed before the tool has it', async () => {
    const rig = await openLightRig();
    const engine = await rig.engine(TOOLS, PATIENT);
    const { task } = await engine.submit('logIn');
    await until(async () => (await engine.get(task.taskId)).status === 'input_required');
    const { code, stdout } = await runCli([
      'tasks',
      'answer',
      task.taskId,
      JSON.stringify(CONTENT),
      '--store',
      rig.path,
      '--json',
    ]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.not.stringContaining(PASSWORD) });
    expect(await engine.outcome(task.taskId)).toEqual({ kind: 'result', value: { length: 14, isRight: true } });
    expect(readFiles(rig.folder)).not.toContain(PASSWORD);
  });

  it('[SEC-483] after kill -9 the work is replayed with the answer that was given', async () => {
    const site = await openSite();
    const program = site.start(PATIENT);
    const taskId = await program.submit('logIn');
    const access = createTaskClient(withCodec(site.store));
    const who = { principal: OPERATOR } as const;
    await until(async () => (await access.get(taskId, who)).status === 'input_required');
    await access.answer(taskId, { q1: { action: 'accept', content: CONTENT } }, who);
    await site.untilRuns(2);
    await program.kill();
    const next = site.start(PATIENT);
    const runs = await site.untilRuns(4);
    expect(runs.filter(({ what }) => what.startsWith('password of 14'))).toHaveLength(2);
    expect(runs.at(-1)?.what).toContain([...PASSWORD].reverse().join(''));
    await site.touch('logged-in');
    expect(await access.outcome(taskId, who)).toEqual({ kind: 'result', value: { length: 14 } });
    await next.end();
    expect(readFiles(site.folder, /tasks\.db/)).not.toContain(PASSWORD);
  });

  it('[SEC-484] the key beside the store is private, made once, and never replaced', async () => {
    const rig = await openLightRig();
    const engines = await Promise.all([
      rig.engine(TOOLS, PATIENT),
      rig.engine(TOOLS, { ...PATIENT, store: await rig.reopen() }),
    ]);
    const answer = { action: 'accept', content: CONTENT } as const;
    const tasks = await Promise.all(engines.map((engine) => engine.submit('logIn')));
    for (const { task } of tasks) {
      await until(async () => (await engines[0].get(task.taskId)).status === 'input_required');
    }
    await Promise.all(tasks.map(({ task }, at) => engines[at]?.answer(task.taskId, { q1: answer })));
    for (const { task } of tasks) {
      expect(await engines[1].outcome(task.taskId)).toMatchObject({ value: { isRight: true } });
    }
    const path = join(rig.folder, 'local.key');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is empty', (path: string) => writeFile(path, '', { mode: 0o600 }), 'holds no key'],
    ['may be read by others', (path: string) => writeFile(path, 'x', { mode: 0o644 }), 'chmod 600'],
    ['is a link', (path: string) => symlink('/etc/hostname', path), 'no plain file'],
  ])('[SEC-484] a key that %s is refused, and stays as it is', async (_what, make, why) => {
    const rig = await openLightRig();
    await make(join(rig.folder, 'local.key'));
    const engine = await rig.engine(TOOLS, PATIENT);
    const { task } = await engine.submit('logIn');
    await until(async () => (await engine.get(task.taskId)).status === 'input_required');
    const answering = engine.answer(task.taskId, { q1: { action: 'accept', content: CONTENT } });
    await expect(answering).rejects.toMatchObject({ code: 'STORE_KEY_WRONG', message: expect.stringContaining(why) });
    expect((await engine.get(task.taskId)).status).toBe('input_required');
  });

  it.each(['modern', 'legacy'])('[SEC-485] %s: neither calls.db nor tasks.db has them, and no listing', async (era) => {
    const desk = await openDesk();
    const host = await desk.host({
      onQuestion: () => ({ action: 'accept', content: { user: 'ada', password: PASSWORD, pin: '98765-SECRET' } }),
    });
    await host.connect(
      'secrets',
      era === 'modern' ? desk.command('secret-server', desk.dir) : desk.legacy('secret-server', desk.dir),
    );
    for (const tool of ['log_in', 'log_in_first']) {
      const call = await host.call('secrets', tool);
      expect(textOf(await call.outcome())).toBe('ada has a password of 14 and a pin of 12 characters');
      const shown = await runCli(['calls', 'show', call.callId, '--ledger', desk.ledger]);
      expect(shown.stdout).toContain('"user":"ada","password":"******","pin":"******"');
    }
    expect(JSON.stringify(await host.calls())).not.toContain('SECRET');
    expect(readFiles(desk.dir)).not.toContain('SECRET');
  });

  it('[SEC-542] the same holds for those that were given before the task was made', async () => {
    const desk = await openDesk();
    const host = await desk.host({
      onQuestion: () => ({ action: 'accept', content: { user: 'ada', password: PASSWORD, pin: '98765-SECRET' } }),
    });
    await host.connect('secrets', desk.command('secret-server', desk.dir));
    const outcome = await (await host.call('secrets', 'log_in_badly')).outcome();
    expect(textOf(outcome)).toBe('no access with ****** and ******');
    expect(readFiles(desk.dir)).not.toContain('SECRET');
  });

  it('[SEC-486] a host that takes up a call finds what the user said before, and nobody else does', async () => {
    const desk = await openDesk();
    const host = await desk.host({
      onQuestion: () => ({ action: 'accept', content: { ...CONTENT, pin: '1-SECRET' } }),
    });
    await host.connect('secrets', desk.command('secret-server', desk.dir));
    const call = await host.call('secrets', 'log_in');
    await call.outcome();
    const ledger = openSqliteLedger({ path: desk.ledger });
    const [kept] = await ledger.answers(call.callId);
    expect(JSON.stringify(kept)).not.toContain('SECRET');
    const answer = await withLedgerCodec(ledger).findAnswer(call.callId, kept?.key ?? '');
    expect(answer).toEqual({ action: 'accept', content: { ...CONTENT, pin: '1-SECRET' } });
    await ledger.close();
  });
});

// Only here to be sure that an engine without questions makes no key.
describe('a store without secrets', () => {
  it('[SEC-484] has no key beside it', async () => {
    const rig = await openLightRig();
    const engine = await createEngine({ name: 't', store: rig.store, tools: { echo: { run: (args) => args } } });
    await engine.submit('echo', {});
    await engine.close();
    await expect(stat(join(rig.folder, 'local.key'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
