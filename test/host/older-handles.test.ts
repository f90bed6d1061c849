/** Handles as they lie in ledgers that earlier builds have written. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CallHandle, HostPort, JsonObject, Notification } from '../../src/dialects/host-port.ts';
import { loadHostDialects } from '../../src/host/host-dialects.ts';
import { createFakePort, error, type FakePort, result } from '../dialects/fake-port.ts';

const DONE = { content: [{ type: 'text', text: 'done' }] };
const LEGACY: HostPort['server'] = { era: 'legacy', capabilities: { tasks: {} }, isStdio: true };

/** A server that knows one task, which has ended. */
function serve(method: string, { taskId }: JsonObject) {
  if (taskId !== 't1') return error(-32601);
  if (method === 'tasks/get') return result({ taskId: 't1', status: 'completed', result: DONE });
  return method === 'tasks/result' ? result(DONE) : error(-32601);
}

const STREAM = { dialect: 'stream', rpcId: '7', tool: 'window_run', meta: { stream: true } };
const told = (params: JsonObject): Notification => ({
  method: 'app.window_run.stream',
  params: { rpcId: 7, ...params },
});

const HANDLES: readonly (readonly [CallHandle, Partial<FakePort>, readonly Notification[]])[] = [
  [{ dialect: 'tasks-2026', taskId: 't1', pollIntervalMs: 20, expiresAt: 9e15 }, {}, []],
  [{ dialect: 'tasks-2025', taskId: 't1', pollInterval: 20, expiresAt: 9e15 }, { server: LEGACY }, []],
  [{ dialect: 'job', jobId: 't1', canWait: true, estimateMs: 4500 }, { server: LEGACY }, []],
  [
    { dialect: 'job', jobId: 'j1', canWait: false },
    {},
    [{ method: 'notifications/tool_result', params: { job_id: 'j1', result: { success: true, data: DONE } } }],
  ],
  [{ ...STREAM, taskId: 't1' }, { server: LEGACY }, [told({ runId: 't1', done: true, status: 'completed' })]],
  [
    { ...STREAM, runId: 'r' },
    {},
    [told({ finalText: 'done', final: true }), told({ done: true, status: 'completed' })],
  ],
];

it.each(HANDLES)('[ROOMS-126] %o is still followed to its outcome', async (handle, over, notifications) => {
  const dialects = await loadHostDialects([]);
  const port = { ...createFakePort(serve), ...over };
  const outcome = dialects.find(handle).follow(handle, dialects.withTasks(port));
  for (;;) {
    // Following begins once its code is loaded.
    for (const notification of notifications) port.tell(notification);
    await port.pass(5000);
    const ended = await Promise.race([outcome, port.pass(0)]);
    if (ended) {
      expect(ended).toMatchObject({ kind: 'result', isError: false, result: DONE });
      return;
    }
  }
});

it('[ROOMS-126] and so is one that waits for the log of prompts', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-older-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const log = join(dir, 'ui-prompts.jsonl');
  const prompt = { kind: 'result', title: '', markdown: 'done' };
  await writeFile(log, `${JSON.stringify({ type: 'ui_prompt', action: 'request', requestId: 't1', prompt })}\n`);
  const handle: CallHandle = {
    ...{ dialect: 'ui-prompts', taskId: 't1', tool: 'run', log, requestIdPrefix: 'mcp-task:', pollIntervalMs: 200 },
    ...{ meta: { taskId: 't1', stream: false }, mark: { id: '', size: 0, tail: '' }, isAcked: true },
  };
  const dialects = await loadHostDialects([]);
  const outcome = await dialects.find(handle).follow(handle, createFakePort(serve));
  expect(outcome).toMatchObject({ kind: 'result', result: DONE });
});
