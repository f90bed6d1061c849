import { randomBytes } from 'node:crypto';
import { aesGcmCodec, createServer, type EngineOptions, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findRedacted, parseRedaction } from '../../../src/codec/redaction.ts';
import { maskSecrets } from '../../../src/codec/secret-tree.ts';
import { toFingerprint } from '../../../src/task/json.ts';
import { runCli } from '../../cli/run-cli.ts';
import { runHere } from '../../cli/run-here.ts';
import { openRig } from '../../engine/open-rig.ts';
import { PATIENT } from '../patient.ts';
import { readFiles } from './read-files.ts';

const SECRET = 'sk-very-secret-1';
const ARGS = {
  apiKey: SECRET,
  auth: { token: 'tok-secret-2', user: 'usr-secret-3' },
  deep: [{ apiKey: SECRET }],
  page: 7,
};
const MASKED = { apiKey: '******', auth: { token: '******', user: '******' }, deep: [{ apiKey: '******' }], page: 7 };
const REDACT = ['apiKey', '/auth/*'];

const TOOLS: EngineOptions['tools'] = {
  use: {
    redact: REDACT,
    async run(args: typeof ARGS, task) {
      await task.progress(0.1, `with ${args.apiKey}`);
      await task.log('info', `key=${args.apiKey};`, { apiKey: 'another-secret-4', seen: args.auth.token });
      await task.stream({ line: `token ${args.auth.token}`, apiKey: args.apiKey });
      return { length: args.apiKey.length };
    },
  },
  fail: {
    redact: REDACT,
    run: (args: typeof ARGS) => {
      throw Object.assign(new Error(`no access with ${args.apiKey}`), {
        code: -1,
        data: { apiKey: args.apiKey, args },
      });
    },
  },
};

describe('redacted arguments', () => {
  it.each([
    [['a'], { a: 1, b: { a: [1], c: 2 } }, { a: '******', b: { a: '******', c: 2 } }],
    [['/a'], { a: 1, b: { a: 1 } }, { a: '******', b: { a: 1 } }],
    [['/a/*/k'], { a: [{ k: 1, l: 2 }, { l: 3 }], k: 4 }, { a: [{ k: '******', l: 2 }, { l: 3 }], k: 4 }],
    [['/x~1y/m~0n'], { 'x/y': { 'm~n': 1, m: 2 } }, { 'x/y': { 'm~n': '******', m: 2 } }],
    [['toString', '__proto__'], JSON.parse('{"__proto__":1,"b":2}'), JSON.parse('{"__proto__":"******","b":2}')],
    [['a'], 'a', 'a'],
  ])('[SEC-470] %j names fields at any depth and pointers from the top', (rules, value, masked) => {
    const redaction = parseRedaction(rules);
    expect(maskSecrets(value, redaction && findRedacted(value, redaction))).toEqual(masked);
  });

  it('[SEC-470] what is nested too deep to look into is taken to be secret', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}{"apiKey":"${SECRET}"}${'}'.repeat(5000)}`);
    const redaction = parseRedaction(['apiKey']);
    const shown = maskSecrets(deep, redaction && findRedacted(deep, redaction));
    expect(JSON.stringify(shown)).not.toContain(SECRET);
  });

  it.each([[['']], [['/']], ['apiKey'], [[1]], [{}]])('[SEC-471] %j is refused by name', async (redact) => {
    const rig = await openRig('memory');
    const tool = { redact: redact as string[], run: () => 1 };
    await expect(rig.idleEngine({ tool })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^tool tool: redact is /),
    });
    expect(() => createServer({ name: 's', version: '1' }).tool('tool', tool)).toThrow(/^tool tool: redact is /);
  });

  it.each(['no codec', 'a codec'])(
    '[SEC-472] with %s only the tool gets them: no listing, event, error or file',
    async (how) => {
      const rig = await openRig();
      const codec = how === 'a codec' ? { codec: aesGcmCodec({ keys: [{ id: 'k1', key: randomBytes(32) }] }) } : {};
      const engine = await rig.engine(TOOLS, { ...PATIENT, ...codec });
      const { task: used } = await engine.submit('use', ARGS, { idempotencyKey: 'k', hold: { key: 'h', graceMs: 1 } });
      const { task: failed } = await engine.submit('fail', ARGS);
      expect(await engine.outcome(used.taskId)).toEqual({ kind: 'result', value: { length: SECRET.length } });
      const outcome = await engine.outcome(failed.taskId);
      expect(outcome).toMatchObject({ error: { message: 'no access with ******', data: { apiKey: '******' } } });
      const events = [];
      for await (const event of engine.watch(used.taskId)) events.push(event);
      expect(events).toMatchObject([
        { type: 'submitted' },
        { type: 'claimed' },
        { type: 'progress', message: 'with ******' },
        { type: 'log', message: 'key=******;', data: { apiKey: '******', seen: '******' } },
        { type: 'stream', data: { line: 'token ******', apiKey: '******' } },
        { type: 'ended' },
      ]);
      const listed = [used, failed, await engine.get(used.taskId), ...(await engine.list()).tasks];
      for (const { args } of listed) expect(args).toEqual(MASKED);
      expect(JSON.stringify([events, outcome, listed])).not.toMatch(/secret-\d/);
      expect(readFiles(rig.folder, /tasks\.db/)).not.toMatch(/secret-\d/);
      expect(readFiles(rig.folder)).not.toContain(toFingerprint(ARGS));
    },
  );

  it('[SEC-472] the same call still joins the first, and another one is a conflict', async () => {
    const rig = await openRig();
    const engine = await rig.idleEngine(TOOLS);
    const { task } = await engine.submit('use', ARGS, { idempotencyKey: 'k' });
    const again = await engine.submit('use', ARGS, { idempotencyKey: 'k' });
    expect([again.created, again.task.taskId]).toEqual([false, task.taskId]);
    const other = engine.submit('use', { ...ARGS, apiKey: 'sk-other' }, { idempotencyKey: 'k' });
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  });

  it('[SEC-473] arguments that cannot be kept are not shown by the complaint', async () => {
    const rig = await openRig('memory');
    const engine = await rig.idleEngine(TOOLS);
    const error = await engine.submit('use', { apiKey: SECRET, big: 1n }).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(error.message).not.toContain(SECRET);
  });

  it('[SEC-474] the command line and the outbox see no more, with the local key at hand', async () => {
    const rig = await openRig();
    const told: unknown[] = [];
    const engine = await rig.engine(TOOLS, { ...PATIENT, outbox: { bell: (message) => void told.push(message) } });
    const { task } = await engine.submit('use', ARGS, { deliver: [{ topic: 'bell' }] });
    await until(() => told.length > 0);
    expect(told).toMatchObject([{ task: { args: MASKED } }]);
    for (const command of [
      ['list', '--json'],
      ['show', task.taskId],
      ['show', task.taskId, '--json'],
      ['tail', task.taskId],
    ]) {
      const { code, stdout } = await runHere(['tasks', ...command, '--store', rig.path]);
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/secret-\d/) });
    }
    const shown = await runCli(['tasks', 'show', task.taskId, '--store', rig.path]);
    expect(shown.stdout).toContain('"apiKey":"******"');
  });

  it('[SEC-475] pointers of a server tool begin at its own arguments', async () => {
    const rig = await openRig();
    const store = await openSqliteStore({ path: rig.path });
    const seen: unknown[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      store,
      workers: 'inline',
      identity: 'own',
      verify: () => ({ issuer: 'i', subject: 'ada' }),
    });
    server.tool('use', {
      inlineMs: 60_000,
      redact: REDACT,
      input: { type: 'object' },
      run: (args) => {
        seen.push(args);
        return 'ok';
      },
    });
    onTestFinished(async () => {
      await server.close();
      await store.close();
    });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'use', arguments: ARGS, _meta: meta };
    const response = await server.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          host: 'localhost',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'use',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    );
    expect(await response.text()).toContain('ok');
    expect(seen).toEqual([ARGS]);
    const [task] = (await store.tasks.list({ limit: 1 })).tasks;
    expect(JSON.stringify(task)).not.toMatch(/secret-\d/);
    expect(readFiles(rig.folder, /tasks\.db/)).not.toMatch(/secret-\d/);
  });
});
