/** What a call of five minutes costs its server, beside the call itself. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallHandle, CallOutcome, HostPort, JsonObject, Notification } from '../../src/dialects/host-port.ts';
import { parseAsyncTask } from '../../src/dialects/shared/async-task.ts';
import { followTask2025 } from '../../src/dialects/tasks-2025/host-follow.ts';
import { followTask2026 } from '../../src/dialects/tasks-2026/host-follow.ts';
import { followSent } from '../../src/dialects/ui-prompts/host-half.ts';
import { prepareUiPrompts } from '../../src/dialects/ui-prompts/host-prepare.ts';
import { TaskError } from '../../src/errors.ts';
import { loadHostDialects } from '../../src/host/host-dialects.ts';
import { createFakePort, error, type FakePort, result, untilAborted } from '../dialects/fake-port.ts';

const EXTENSION = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const MODERN: HostPort['server'] = { era: 'modern', capabilities: EXTENSION, isStdio: false };
const LEGACY: HostPort['server'] = { era: 'legacy', capabilities: { tasks: {} }, isStdio: false };
const WORKING = { taskId: 't', status: 'working' };
const ACK = { method: 'notifications/subscriptions/acknowledged', params: { notifications: { taskIds: ['t'] } } };
const JOB = { dialect: 'job', jobId: 't', canWait: true } as const;
const DIALECTS = await loadHostDialects([]);
const FOREIGN_JOB = { ...JOB, canWait: false };

type Follow = (port: HostPort) => Promise<CallOutcome>;

const FOLLOWING: readonly (readonly [string, HostPort['server'], Follow])[] = [
  ['a task of 2026', MODERN, (port) => followTask2026({ dialect: 'tasks-2026', taskId: 't', pollIntervalMs: 1 }, port)],
  ['a task of 2025', LEGACY, (port) => followTask2025({ dialect: 'tasks-2025', taskId: 't', pollInterval: 1 }, port)],
  ['a job of ours, 2026', MODERN, (port) => followJob(JOB, port)],
  ['a job of ours, 2025', LEGACY, (port) => followJob(JOB, port)],
  ['a job of somebody else’s', LEGACY, followForeign],
  ['a call through the log of prompts', LEGACY, followPrompts],
];

/** A server that tells: it acknowledges those who listen, and holds what may be held. */
const tells = (method: string, _params: JsonObject, signal: AbortSignal) =>
  method === 'tasks/get' ? result(WORKING) : untilAborted(signal);

/** One that knows neither. */
const tellsNobody = (method: string) => {
  if (method === 'tasks/get') return result(WORKING);
  return method === 'tasks/result' ? error(-32002, 'not ready') : error(-32601);
};

describe.each(FOLLOWING)('%s that takes five minutes', (_, server, follow) => {
  it('[HOST-21] costs at most three requests with the call itself when the server tells', async () => {
    expect(await countRequests({ ...createFakePort(tells), server }, follow, ACK)).toBeLessThanOrEqual(2);
  });

  it('[HOST-22] costs at most fifty requests with the call itself when nobody tells', async () => {
    expect(await countRequests({ ...createFakePort(tellsNobody), server }, follow)).toBeLessThanOrEqual(49);
  });
});

async function countRequests(port: FakePort, follow: Follow, told?: Notification): Promise<number> {
  let isHeard = false;
  const onNotification: FakePort['onNotification'] = (listener) => {
    isHeard = true;
    if (told) queueMicrotask(() => listener(told));
    return port.onNotification(listener);
  };
  const following = follow({ ...port, onNotification });
  // What follows a handle is loaded first, which takes real time.
  await until(() => port.sent.length > 0 || (isHeard && follow === followForeign) || follow === followPrompts);
  await port.pass(300_000);
  port.stop(new TaskError('DETACHED', 'enough'));
  await expect(following).rejects.toMatchObject({ code: 'DETACHED' });
  return port.sent.length;
}

/** As a host does: what follows a handle is chosen by its name. */
async function followJob(handle: CallHandle, port: HostPort): Promise<CallOutcome> {
  return DIALECTS.find(handle).follow(handle, DIALECTS.withTasks(port));
}

/** Only listens. */
async function followForeign(port: HostPort): Promise<CallOutcome> {
  return followJob(FOREIGN_JOB, port);
}

/** Reads the log, and sends nothing. */
async function followPrompts(port: HostPort): Promise<CallOutcome> {
  const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-count-'));
  onTestFinished(() => rm(stateDir, { recursive: true }));
  const config = parseAsyncTask({ tools: ['run'] });
  const { handle } = await prepareUiPrompts(config, { tool: 'run', taskId: 't', meta: {} }, { stateDir });
  return followSent({ ...handle, isAcked: true }, port);
}
