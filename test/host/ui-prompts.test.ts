/** Calls whose results come through the log of prompts, from an app that knows nothing of our server. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk, textOf } from './open-host.ts';

const ASYNC_TASK = { tools: ['app_run'], taskIdKey: 'taskId', resultSource: 'ui_prompts', pollIntervalMs: 200 };

const toLog = (desk: Desk) => join(dirname(desk.ledger), 'ui-prompts.jsonl');

async function connect(desk: Desk, callMeta: object = { asyncTask: ASYNC_TASK }) {
  const host = await desk.host();
  await host.connect('app', { ...desk.command('host-ui-app', desk.dir), callMeta: callMeta as never });
  return host;
}

describe('a call that is answered through the log of prompts', () => {
  it('[HOST-37] stays pending over its acknowledgement and ends with the text of the prompt', async () => {
    const desk = await openDesk();
    const host = await connect(desk);
    const call = await host.call('app', 'App_Run', { gate: 'a' });
    await desk.untilNoted('ran a with gate and stream false');
    await until(async () => (await host.calls())[0]?.handle?.isAcked === true, { what: 'the acknowledgement' });
    expect((await host.calls())[0]?.outcome).toBeUndefined();
    await desk.open('a');
    expect(textOf(await call.outcome())).toBe('# a is open');
    const entry = JSON.parse((await readFile(toLog(desk), 'utf8')).trim()) as { requestId: string };
    expect(entry.requestId).toBe(call.callId);
  });

  it('[HOST-37] leaves other tools of the server as they are', async () => {
    const desk = await openDesk();
    const host = await connect(desk);
    expect(textOf(await (await host.call('app', 'greet')).outcome())).toBe('Hello!');
  });

  it('[HOST-38] ends with an acknowledgement that is an error, and with the error of an app that gets no id', async () => {
    const desk = await openDesk();
    const host = await connect(desk);
    expect(await (await host.call('app', 'App_Run', { fail: true })).outcome()).toMatchObject({ isError: true });
    const plain = await desk.host();
    await plain.connect('bare', desk.command('host-ui-app', desk.dir));
    const refused = await (await plain.call('bare', 'App_Run', { gate: 'b' })).outcome();
    expect(refused).toMatchObject({ kind: 'error', error: { code: -32602 } });
  });

  it('[HOST-39] is taken up by a host that was restarted, also when the result was written meanwhile', async () => {
    const desk = await openDesk();
    const first = await connect(desk);
    const { callId } = await first.call('app', 'App_Run', { gate: 'c' });
    await until(async () => (await first.calls())[0]?.handle?.isAcked === true, { what: 'the acknowledgement' });
    await first.close();
    const entry = { type: 'ui_prompt', action: 'request', requestId: `mcp-task:${callId}` };
    const prompt = { kind: 'result', markdown: '', result: 'written meanwhile' };
    await mkdir(dirname(toLog(desk)), { recursive: true });
    await appendFile(toLog(desk), JSON.stringify({ ts: new Date().toISOString(), ...entry, prompt }));
    const second = await connect(desk);
    const [call] = await second.resume();
    expect(textOf((await call?.outcome()) as never)).toBe('written meanwhile');
    expect(desk.notes().filter((line) => line.startsWith('ran'))).toHaveLength(1);
  });

  it('[HOST-40] is cancelled by the tool that the app has for it, also after the acknowledgement', async () => {
    const desk = await openDesk();
    const host = await connect(desk);
    const stop = new AbortController();
    const call = await host.call('app', 'App_Run', { gate: 'd' }, { signal: stop.signal });
    await until(async () => (await host.calls())[0]?.handle?.isAcked === true, { what: 'the acknowledgement' });
    stop.abort(new Error('enough'));
    expect(await call.outcome()).toEqual({ kind: 'cancelled', reason: 'enough' });
    expect(desk.notes().join('\n')).toContain(call.callId);
  });

  it('[HOST-41] is refused before anything is sent when its configuration is wrong', async () => {
    const desk = await openDesk();
    const host = await connect(desk, { asyncTask: { ...ASYNC_TASK, resultSource: 'mail' } });
    await expect(host.call('app', 'App_Run', { gate: 'e' })).rejects.toThrow(/asyncTask.resultSource/);
    const outside = await connect(await openDesk(), { asyncTask: { ...ASYNC_TASK, uiPromptFile: '../../log' } });
    await expect(outside.call('app', 'App_Run', { gate: 'e' })).rejects.toThrow(/asyncTask.uiPromptFile/);
    expect(desk.notes().join('')).toBe('');
  });

  it('[SEC-129] says when it has been waited for in vain what the log holds instead', async () => {
    const desk = await openDesk();
    const host = await connect(desk);
    const untilEnd = async (gate: string, lines: (callId: string) => string) => {
      const call = await host.call('app', 'App_Run', { gate }, { maxWaitMs: 3000 });
      await appendFile(toLog(desk), lines(call.callId));
      const outcome = await call.outcome();
      return outcome.kind === 'timed-out' ? outcome.reason : outcome.kind;
    };
    expect(await untilEnd('t1', () => '')).toContain('is not there or has no line yet');
    const other = { type: 'ui_prompt', action: 'request', requestId: 'x', prompt: { kind: 'result', result: 'y' } };
    expect(await untilEnd('t2', () => `${JSON.stringify(other)}\n`)).toContain('its newest is for "x"');
    expect(await untilEnd('t3', (requestId) => `${JSON.stringify({ ...other, type: 'p', requestId })}\n`)).toContain(
      'with the type "p"',
    );
    expect(await untilEnd('t4', (requestId) => `{"requestId":"${requestId}\n`)).toContain('that is no JSON');
  });

  it('[HOST-42] reaches the server of a plugin from its manifest', async () => {
    const desk = await openDesk();
    const pluginDir = join(desk.dir, 'plugin');
    await mkdir(pluginDir);
    const { args } = desk.command('host-ui-app', desk.dir);
    await writeFile(
      join(pluginDir, 'server.mjs'),
      `process.argv.splice(2); process.argv.push(${JSON.stringify(args[1])});
      await import(${JSON.stringify(args[0])});`,
    );
    const mcp = { entry: 'server.mjs', callMeta: { asyncTask: ASYNC_TASK } };
    const app = { id: 'app', name: 'App', entry: 'server.mjs', ai: { mcp } };
    await writeFile(
      join(pluginDir, 'plugin.json'),
      JSON.stringify({ id: 'com.example', name: 'Example', apps: [app] }),
    );
    const host = await desk.host();
    await host.connect('app', { pluginDir });
    const call = await host.call('app', 'App_Run', { gate: 'f' });
    await desk.open('f');
    expect(textOf(await call.outcome())).toBe('# f is open');
  });
});
