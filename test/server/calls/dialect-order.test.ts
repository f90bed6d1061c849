/** Which dialect answers a call, of those that are built in. */
import { describe, expect, it } from 'vitest';
import type { Caller, ServerPort } from '../../../src/dialects/server-port.ts';
import { parseAsyncTool } from '../../../src/dialects/shared/async-task.ts';
import { DIALECTS } from '../../../src/dialects/table.ts';
import { chooseDialect } from '../../../src/server/calls/choose-dialect.ts';
import type { ServerParts } from '../../../src/server/server-parts.ts';
import type { ServerCall } from '../../../src/server/tasks/server-call.ts';

interface Wish {
  readonly meta?: object;
  readonly task?: object;
  readonly caller?: Partial<Caller>;
  readonly tool?: object;
  readonly settings?: object;
  readonly profile?: object;
}

const ASKED = { calls: 'asked' };
const STREAMED = { stream: { calls: 'default' } };
const PROMPTED = { prompts: parseAsyncTool(true) };
const JOB = { 'holdfast/job': true };

async function choose(wish: Wish): Promise<string> {
  const halves = await Promise.all(DIALECTS.map(({ server }) => server?.()));
  const settings = { jobs: 'asked', bareJobs: false, requireTaskId: false, ...wish.settings };
  const port = { settings, findProfile: () => ({ giveUpMs: 1, ...wish.profile }) } as unknown as ServerPort;
  const parts = { dialects: halves.filter((half) => half !== undefined), port } as unknown as ServerParts;
  const { meta = {}, task, tool, caller } = wish;
  return chooseDialect(parts, {
    name: 't',
    meta,
    ...(task && { task }),
    tool: { name: 't', taskMode: 'auto', stream: ASKED, ...tool },
    caller: { declaresTasks: false, acceptsNotifications: true, ...caller },
  } as unknown as ServerCall).name;
}

const CASES: readonly [says: string, wish: Wish, name: string][] = [
  ['nothing', {}, 'inline'],
  ['a contract of prompts before all else', { tool: PROMPTED, meta: { ...JOB, stream: true }, task: {} }, 'ui-prompts'],
  ['a stream before a job', { meta: { ...JOB, stream: true }, task: {} }, 'stream'],
  ['a job before a task', { meta: JOB, task: {}, caller: { declaresTasks: true } }, 'job'],
  ['a task', { task: {} }, 'tasks-2025'],
  ['tasks by its client', { caller: { declaresTasks: true }, settings: { jobs: 'always' } }, 'tasks-2026'],
  ['tasks, of a streamed tool', { tool: STREAMED, caller: { declaresTasks: true } }, 'tasks-2026'],
  ['nothing, of a streamed tool', { tool: STREAMED, settings: { jobs: 'always' } }, 'stream'],
  ['no stream, of a streamed tool', { tool: STREAMED, meta: { stream: false } }, 'inline'],
  ['a stream where nothing can be told', { meta: { stream: true }, caller: { acceptsNotifications: false } }, 'inline'],
  ['a stream of a tool that is never a task', { meta: { stream: true }, tool: { taskMode: 'never' } }, 'inline'],
  ['nothing, where plain calls are jobs', { settings: { jobs: 'always' } }, 'job'],
  ['nothing, by a client of jobs', { profile: { jobs: true } }, 'job'],
  ['no job, where plain calls are jobs', { settings: { jobs: 'always' }, meta: { 'holdfast/job': false } }, 'inline'],
];

describe('a call that asks for', () => {
  it.each(CASES)('[ROOMS-104] %s', async (_says, wish, name) => {
    expect(await choose(wish)).toBe(name);
  });

  it('[ROOMS-104] prompts of a tool that does not write them is refused, also on a server that has no such tool', async () => {
    const text = 'its owner switches that on with asyncTask';
    await expect(choose({ meta: { asyncTask: {} } })).rejects.toThrow(text);
  });

  it('[ROOMS-104] a job in wrong words is refused', async () => {
    await expect(choose({ meta: { 'holdfast/job': 'yes' } })).rejects.toThrow('expected true, false or "bare"');
  });

  it('[ROOMS-104] a stream, and a job in wrong words, is refused', async () => {
    const meta = { stream: true, 'holdfast/job': 'yes' };
    await expect(choose({ meta })).rejects.toThrow('expected true, false or "bare"');
  });
});
