import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { parseAsyncTask } from '../../../src/dialects/shared/async-task.ts';
import { cancelByTool, findCancelTool } from '../../../src/dialects/shared/cancel-tool.ts';
import { followUiPrompts } from '../../../src/dialects/ui-prompts/host-follow.ts';
import { prepareUiPrompts } from '../../../src/dialects/ui-prompts/host-prepare.ts';
import { createPromptLog } from '../../../src/dialects/ui-prompts/log/log-writer.ts';
import { writeStoredTask } from '../../../src/dialects/ui-prompts/task-store/write-stored-task.ts';
import { openLog, toResultLine } from './open-log.ts';
import { createTestPort, type TestPort } from './test-port.ts';

const call = (meta: object = {}) => ({ tool: 'app_run', taskId: 'h1', meta: meta as { [key: string]: string } });

async function prepareWithStore(stateDir: string) {
  const meta = { chatos: { uiApp: { dataDir: join(stateDir, 'data') } } };
  await mkdir(join(stateDir, 'data'));
  const { handle } = await prepareUiPrompts(parseAsyncTask({ stateFileName: 'app.v1.json' }), call(meta), { stateDir });
  return { handle, store: join(stateDir, 'data', 'app.v1.json') };
}

describe('what is sent', () => {
  it('[UIP-23] carries the id in _meta under the key of the configuration, and no stream', async () => {
    const { folder } = await openLog();
    const config = parseAsyncTask({ taskIdKey: 'jobKey' });
    const { meta, handle } = await prepareUiPrompts(config, call({ workdir: '/w', stream: true }), {
      stateDir: folder,
    });
    expect(meta).toEqual({ workdir: '/w', stream: false, jobKey: 'h1', chatos: { uiApp: { stateDir: folder } } });
    expect(handle.log).toBe(join(folder, 'ui-prompts.jsonl'));
    expect(JSON.parse(JSON.stringify(handle))).toEqual(handle);
  });

  it('[UIP-20] names no file or directory outside the state directory, unless the owner allows it', async () => {
    const { folder } = await openLog();
    const stateDir = join(folder, 'state');
    await mkdir(stateDir);
    await symlink(folder, join(stateDir, 'out'));
    const tries = [
      [{ uiPromptFile: '../log' }, {}],
      [{ uiPromptFile: '/var/log' }, {}],
      [{ uiPromptFile: 'out/log' }, {}],
      [{}, { chatos: { uiApp: { stateDir: folder } } }],
      [{}, { chatos: { uiApp: { stateDir: join(stateDir, 'out') } } }],
    ] as const;
    for (const [config, meta] of tries) {
      const prepare = (allowOutside: boolean) =>
        prepareUiPrompts(parseAsyncTask(config), call(meta), { stateDir, allowOutside });
      await expect(prepare(false), JSON.stringify([config, meta])).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
      expect((await prepare(true)).handle.log).toBeTruthy();
    }
    const inner = { chatos: { uiApp: { stateDir: join(stateDir, 'inner') } } };
    const { handle } = await prepareUiPrompts(parseAsyncTask({}), call(inner), { stateDir });
    expect(handle.log).toBe(join(stateDir, 'inner', 'ui-prompts.jsonl'));
  });
});

describe('the outcome', () => {
  it('[UIP-24] is the text of the prompt, untouched, with nobody having clicked anything', async () => {
    const log = await openLog();
    const { handle } = await prepareUiPrompts(parseAsyncTask({}), call(), { stateDir: log.folder });
    const outcome = followUiPrompts(handle, createTestPort());
    await log.append(toResultLine('mcp-task:h1', ' # done\n'));
    const result = { content: [{ type: 'text', text: ' # done\n' }] };
    expect(await outcome).toEqual({ kind: 'result', result, isError: false });
  });

  it('[UIP-24] is an error when the result says so', async () => {
    const log = await openLog();
    const { handle } = await prepareUiPrompts(parseAsyncTask({}), call(), { stateDir: log.folder });
    const writer = createPromptLog({ path: log.path });
    await writer.publishResult({ requestId: 'h1', text: 'no disk', status: 'failed' });
    expect(await followUiPrompts(handle, createTestPort())).toMatchObject({ kind: 'result', isError: true });
  });

  it('[UIP-38] is the cancel when the log tells of it before the app has answered', async () => {
    const log = await openLog();
    const { handle } = await prepareUiPrompts(parseAsyncTask({}), call(), { stateDir: log.folder });
    const writer = createPromptLog({ path: log.path });
    await writer.publishResult({ requestId: 'h1', text: 'stopped', status: 'aborted' });
    const port = createTestPort();
    expect(await followUiPrompts(handle, port)).toMatchObject({ kind: 'result', isError: true });
    const outcome = await followUiPrompts(handle, { ...port, isStopping: () => true });
    expect(outcome).toEqual({ kind: 'cancelled', reason: 'stopped' });
  });

  it('[UIP-24] is found by a handle alone, in another process and after a rotation', async () => {
    const log = await openLog();
    const { handle } = await prepareUiPrompts(parseAsyncTask({}), call(), { stateDir: log.folder });
    const writer = createPromptLog({ path: log.path, maxBytes: 500 });
    for (const requestId of ['x1', 'x2', 'h1', 'x3', 'x4'])
      await writer.publishResult({ requestId, text: 'y'.repeat(300) });
    const stored = JSON.parse(JSON.stringify(handle));
    expect(await followUiPrompts(stored, createTestPort())).toMatchObject({ kind: 'result', isError: false });
  });

  it('[UIP-25] does not come when nobody waits any longer', async () => {
    const log = await openLog();
    const stop = new AbortController();
    const { handle } = await prepareWithStore(log.folder);
    const outcome = followUiPrompts(handle, createTestPort({ signal: stop.signal }));
    stop.abort(new Error('detached'));
    await expect(outcome).rejects.toThrow('detached');
  });

  it('[UIP-26] is told from the task store on the way, and gets its details', async () => {
    const log = await openLog();
    const { handle, store } = await prepareWithStore(log.folder);
    const port = createTestPort();
    const outcome = followUiPrompts(handle, port);
    await writeStoredTask(store, { id: 'h1', status: 'running' });
    await untilTold(port, 'running');
    await writeStoredTask(store, { id: 'h1', status: 'failed', error: { message: 'out of memory' } });
    await untilTold(port, 'failed');
    await log.append(toResultLine('h1', 'it failed'));
    const details = { status: 'failed', error: 'out of memory' };
    expect(await outcome).toMatchObject({ isError: true, result: { _meta: { 'holdfast/stored-task': details } } });
  });

  it('[SEC-125] is told from the task store when it changes, not when the next look is due', async () => {
    const log = await openLog();
    const { handle, store } = await prepareWithStore(log.folder);
    const port = createTestPort();
    const outcome = followUiPrompts({ ...handle, pollIntervalMs: 5000 }, port);
    for (const status of ['queued', 'running', 'completed'] as const) {
      await writeStoredTask(store, { id: 'h1', status });
      await until(() => port.updates.some((update) => 'status' in update && update.status === status), {
        what: status,
      });
    }
    expect(port.clock.monotonic(), 'the clock stood still').toBe(0);
    await log.append(toResultLine('h1', 'done'));
    expect(await outcome).toMatchObject({ kind: 'result' });
  });

  it('[UIP-26] is an error when the task has ended in the store and 60 s later has no prompt', async () => {
    const log = await openLog();
    await log.append(toResultLine('task-h1-run', 'under another id'));
    const { handle, store } = await prepareWithStore(log.folder);
    const port = createTestPort();
    await writeStoredTask(store, { id: 'h1', status: 'completed', resultText: 'only here' });
    let isOver = false;
    const outcome = followUiPrompts(handle, port).finally(() => {
      isOver = true;
    });
    await untilTold(port, 'completed');
    await port.clock.advance(58_000);
    expect(isOver).toBe(false);
    await until(async () => {
      await port.clock.advance(1000);
      return isOver;
    });
    const error = { code: 'NO_RESULT_PROMPT', data: { why: { reason: 'other-request-id', found: 'task-h1-run' } } };
    expect(await outcome).toMatchObject({ kind: 'error', error });
    expect(port.clock.monotonic()).toBeGreaterThanOrEqual(60_000);
  });

  it('[UIP-26] does not depend on a task store that is broken', async () => {
    const log = await openLog();
    const { handle, store } = await prepareWithStore(log.folder);
    await writeFile(store, '{"mcpTasks": [{"id": "h1", "status"');
    const outcome = followUiPrompts(handle, createTestPort());
    await log.append(toResultLine('h1', 'fine'));
    expect(await outcome).toMatchObject({ kind: 'result', isError: false });
  });
});

describe('a cancel', () => {
  const find = (tool: string, listed: readonly string[], meta = {}) =>
    findCancelTool(
      listed.map((name) => ({ name })),
      { tool, taskId: 'h1', meta },
    )?.name;

  it('[UIP-27] goes to the tool that the call names, else to one beside it, and only to one that is listed', () => {
    expect(find('app_run', ['app_run', 'app_stop', 'halt'], { cancelTool: 'halt' })).toBe('halt');
    expect(find('app_run', ['app_run', 'app_stop', 'halt'], { cancel_tools: ['gone', 'halt'] })).toBe('halt');
    expect(find('app_run', ['app_cancel', 'app_stop'])).toBe('app_stop');
    expect(find('App_Run', ['app_cancel'])).toBe('app_cancel');
    expect(find('codex_app_window_run', ['abort', 'window_cancel'])).toBe('window_cancel');
    expect(find('report', ['stop', 'cancel', 'abort'])).toBeUndefined();
  });

  it('[UIP-27] lists the tools itself, sends the id under every name the tool takes, and asks for no stream', async () => {
    const { folder } = await openLog();
    const { handle } = await prepareUiPrompts(parseAsyncTask({}), call({ sessionId: 's' }), { stateDir: folder });
    const inputSchema = { properties: { task_id: {}, sessionId: {} }, additionalProperties: false };
    const tools = [{ name: 'app_stop', inputSchema }];
    const port = createTestPort({ reply: { kind: 'result', result: { tools } } });
    expect(await cancelByTool(handle, port)).toBe(true);
    expect(port.requests[1]).toMatchObject({
      method: 'tools/call',
      params: { name: 'app_stop', _meta: { stream: false, taskId: 'h1' } },
    });
    expect(port.requests[1]?.params.arguments).toEqual({ task_id: 'h1', sessionId: 's' });
  });

  it('[UIP-27] waits two seconds for the server at most, and a refusal is only told', async () => {
    const { folder } = await openLog();
    const { handle } = await prepareUiPrompts(parseAsyncTask({}), call(), { stateDir: folder });
    const tools = [{ name: 'app_stop' }];
    const refusing = createTestPort({ reply: { kind: 'error', error: { code: -32000, message: 'no' } } });
    expect(await cancelByTool(handle, refusing, tools)).toBe(false);
    const silent = { ...createTestPort(), request: () => new Promise<never>(() => {}) };
    const cancelled = cancelByTool(handle, silent, tools);
    await silent.clock.advance(2000);
    expect(await cancelled).toBe(false);
    expect(await cancelByTool(handle, createTestPort(), [])).toBe(false);
  });
});

async function untilTold(port: TestPort, status: string): Promise<void> {
  await until(async () => {
    if (port.updates.some((update) => update.type === 'status' && update.status === status)) return true;
    await port.clock.advance(100);
    return false;
  });
}
