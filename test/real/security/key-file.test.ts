import { randomBytes } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aesGcmCodec, type EngineOptions, type Json } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { openRig } from '../../engine/open-rig.ts';
import { openDesk } from '../../host/open-host.ts';
import { PATIENT } from '../../security/patient.ts';
import { readFiles } from '../../security/secrets/read-files.ts';

const KEY = randomBytes(32);
const codec = aesGcmCodec({ keys: [{ id: 'k1', key: KEY }] });
const FORM = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };

const TOOLS: EngineOptions['tools'] = {
  talk: {
    async run(args: Json, task) {
      await task.log('info', 'WORD-log');
      await task.ask({ message: 'WORD-question', schema: FORM });
      return args;
    },
  },
};

/** A store with one task that asks something, a key file, and the command line on both. */
async function openCoded() {
  const rig = await openRig();
  const engine = await rig.engine(TOOLS, { ...PATIENT, codec });
  const { task } = await engine.submit('talk', { word: 'WORD-args' });
  await until(async () => (await engine.get(task.taskId)).status === 'input_required');
  const keys = join(rig.folder, 'keys');
  await writeFile(keys, `k1 ${KEY.toString('hex')}\n`, { mode: 0o600 });
  const cli = (args: readonly string[], env = {}) => runCli(['tasks', ...args, '--store', rig.path], env);
  return { ...rig, engine, taskId: task.taskId, keys, cli };
}

describe('the command line on an encoded store', () => {
  it('[SEC-466] shows which key a payload needs, and everything else', async () => {
    const { cli, taskId } = await openCoded();
    const shown = await cli(['show', taskId]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/Arguments +"\(encoded, key k1\)"/) });
    expect(shown.stdout).toMatch(/Question +q1 \(open\): \(encoded, key k1\)/);
    expect(shown.stdout).toMatch(/Status +input_required/);
    expect((await cli(['list', '--json'])).stdout).toContain(taskId);
    // Without its schema nobody can tell whether an answer fits, nor what is secret in it.
    const answered = await cli(['answer', taskId, '{"yes":true}']);
    expect(answered).toMatchObject({ code: 78, stderr: expect.stringContaining('key k1') });
    expect(await cli(['cancel', taskId])).toMatchObject({ code: 0 });
  });

  it('[SEC-466] shows all with --key-file or HOLDFAST_KEY_FILE, and can answer', async () => {
    const { cli, engine, taskId, keys, folder } = await openCoded();
    for (const shown of [
      await cli(['show', taskId, '--key-file', keys]),
      await cli(['show', taskId], { HOLDFAST_KEY_FILE: keys }),
    ]) {
      expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('{"word":"WORD-args"}') });
    }
    expect(await cli(['answer', taskId, '{"yes":1}', '--key-file', keys])).toMatchObject({ code: 2 });
    expect(await cli(['answer', taskId, '{"yes":true}', '--key-file', keys])).toMatchObject({ code: 0 });
    expect(await engine.outcome(taskId)).toEqual({ kind: 'result', value: { word: 'WORD-args' } });
    expect((await cli(['tail', taskId, '--key-file', keys])).stdout).toContain('WORD-log');
    expect(readFiles(folder, /tasks\.db/)).not.toMatch(/WORD/);
  });

  it('[SEC-467] a key file that others may read is refused, as is one that holds no key; no key is printed', async () => {
    const { cli, taskId, keys } = await openCoded();
    await chmod(keys, 0o640);
    expect(await cli(['show', taskId, '--key-file', keys])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('chmod 600'),
    });
    await chmod(keys, 0o600);
    const half = KEY.toString('hex').slice(0, 60);
    for (const [text, code] of [
      ['', 78],
      [`k1 ${half}`, 78],
      [`k1 ${KEY.toString('hex')} more`, 78],
      [`k1 ${KEY.toString('hex')}\nk1 ${KEY.toString('hex')}`, 2],
    ] as const) {
      await writeFile(keys, text);
      const failed = await cli(['show', taskId, '--key-file', keys]);
      expect(failed.code).toBe(code);
      expect(failed.stderr).not.toContain(half);
    }
    expect(await cli(['show', taskId, '--key-file', `${keys}-not`])).toMatchObject({ code: 78 });
  });

  it.each([
    [[]],
    [undefined],
    [[{ id: 'a b', key: KEY }]],
    [[{ id: 'a', key: 'short' }]],
    [[{ id: 'a', key: KEY.subarray(1) }]],
  ])('[SEC-468] aesGcmCodec refuses keys that are none, and shows none of them: case %#', (keys) => {
    expect(() => aesGcmCodec({ keys: keys as never })).toThrow(/^aesGcmCodec: keys.* cannot be used; expected /);
  });

  it('[SEC-468] a codec that is none is refused by name', async () => {
    const rig = await openRig('memory');
    for (const wrong of [null, 'aes', {}, { encode: 1, decode: 2 }]) {
      await expect(rig.idleEngine({}, { codec: wrong as never })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^codec is no codec; expected/),
      });
    }
    const desk = await openDesk();
    await expect(desk.host({ codec: {} as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(desk.host({ redact: 'apiKey' as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('a ledger', () => {
  const ARGS = { name: 'WORD-name', apiKey: 'WORD-key' };

  it('[SEC-469] has no payload in clear with a codec, and the command line shows which key it needs', async () => {
    const desk = await openDesk();
    const host = await desk.host({ codec });
    await host.connect('reports', desk.command('reports-server', desk.dir));
    const call = await host.call('reports', 'greet', ARGS, { meta: { mine: 'WORD-meta' } });
    expect(JSON.stringify(await call.outcome())).toContain('WORD-name');
    expect(await host.calls()).toMatchObject([
      { args: ARGS, meta: { mine: 'WORD-meta' }, outcome: { kind: 'result' } },
    ]);
    expect(/WORD/.test(readFiles(join(desk.dir, 'ledger')))).toBe(false);
    const shown = await runCli(['calls', 'show', call.callId, '--ledger', desk.ledger]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/Arguments .*\(encoded, key k1\)/) });
    expect(await runCli(['calls', 'list', '--ledger', desk.ledger])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('result'),
    });
    const keys = join(desk.dir, 'keys');
    await writeFile(keys, `k1 ${KEY.toString('base64')}\n`, { mode: 0o600 });
    const opened = await runCli(['calls', 'show', call.callId, '--ledger', desk.ledger, '--key-file', keys]);
    expect(opened.stdout).toContain('WORD-name');
    const other = await desk.host();
    await expect(other.resume()).rejects.toMatchObject({ code: 'STORE_KEY_MISSING' });
    await expect(other.calls()).rejects.toMatchObject({ code: 'STORE_KEY_MISSING' });
  });

  it('[SEC-476] does not keep or list redacted arguments in clear, and the server gets them', async () => {
    const desk = await openDesk();
    const command = [
      'call',
      'greet',
      JSON.stringify({ name: 'WORD-name', auth: { pin: 'WORD-pin' } }),
      '--ledger',
      desk.ledger,
    ];
    const server = desk.command('reports-server', desk.dir);
    const called = await runCli([...command, '--redact', 'name, /auth/*', '--', server.command, ...server.args]);
    expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('Hello, WORD-name!') });
    const listed = await runCli(['calls', 'list', '--all', '--json', '--ledger', desk.ledger]);
    expect(JSON.parse(listed.stdout).args).toEqual({ name: '******', auth: { pin: '******' } });
    expect(readFiles(join(desk.dir, 'ledger'))).not.toContain('WORD-pin');
    const host = await desk.host();
    expect(await host.calls()).toMatchObject([{ args: { name: '******', auth: { pin: '******' } } }]);
  });
});
