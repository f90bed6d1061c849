import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { type ClientOptions, connect, EVERYTHING, type LegacyRig, nextOf, openLegacy, YES } from './open-2025.ts';

const notReady = (status = 'working') =>
  `Task result is not ready; task is still '${status}'. Poll tasks/get and retry tasks/result.`;
const OVER_BUDGET = 'Task result is not ready within the host-safe wait budget; poll tasks/get and retry tasks/result.';
/** A budget as short as one may be. */
const SHORT = { hostTimeoutMs: 0, marginMs: 0 };
const CLAUDE: ClientOptions = { name: 'claude-code', capabilities: EVERYTHING };

async function openHeld(...given: Parameters<typeof openLegacy>): Promise<LegacyRig & { taskId: string }> {
  const client = await openLegacy(...given);
  const { taskId } = await client.start('hold');
  return { ...client, taskId };
}

/** The error of `tasks/result` with these parameters. */
const refusal = async ({ send, taskId }: Awaited<ReturnType<typeof openHeld>>, params: object = {}) =>
  (await send('tasks/result', { taskId, ...params })).error;

describe('tasks/result in mode auto', () => {
  it('[MODE-01] is the default, and makes a client that is not on the list wait for the end', async () => {
    const { taskId, ...client } = await openHeld();
    const waiting = await client.request('tasks/result', { taskId });
    // Many times the shortest pace of comments.
    const frames = [];
    const since = performance.now();
    while (performance.now() - since < 1500) frames.push(await waiting.frames.frame());
    // One of them says where the stream can be resumed.
    expect(frames.filter((frame) => !frame.startsWith(':') && !/^data:$/m.test(frame))).toEqual([]);
    await client.release();
    expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'held' }] });
  });

  it.each([{ hostTimeoutMs: 0 }, { marginMs: 119_000 }, SHORT])(
    '[SEC-290] makes it wait no longer than a budget that the owner has set: %j',
    async (taskResult) => {
      const held = await openHeld({ taskResult });
      expect(await refusal(held)).toMatchObject({ code: -32002, message: OVER_BUDGET });
      await held.release();
    },
  );

  it.each([
    'claude-ai',
    'claude-code',
    'Claude Code',
    'Claude Desktop',
    'cursor-vscode',
    'Cursor',
    'windsurf-client',
    'continue-client',
  ])('[MODE-02] [MODE-03] answers %s at once, with what a program needs to come again', async (name) => {
    const held = await openHeld({}, { name });
    const { taskId } = held;
    expect(await refusal(held)).toEqual({
      code: -32002,
      message: notReady(),
      data: { taskId, status: 'working', retryAfterMs: 1000 },
    });
  });

  it.each(['mcp-inspector', 'precursor', 'discontinued-client', 'claude-codex', ''])(
    '[MODE-02] makes %j wait, whose name only looks alike',
    async (name) => {
      const { taskId, ...client } = await openHeld({}, { name });
      const waiting = await client.request('tasks/result', { taskId });
      await client.release();
      expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'held' }] });
    },
  );

  it('[MODE-04] follows the list of the option', async () => {
    const taskResult = { retryClients: ['my host'] };
    const held = await openHeld({ taskResult }, { name: 'My-Host' });
    expect(await refusal(held)).toMatchObject({ code: -32002 });
    const claude = await connect(held.url, CLAUDE);
    const waiting = await claude.request('tasks/result', { taskId: held.taskId });
    await held.release();
    expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'held' }] });
  });
});

describe('tasks/result in a mode chosen by hand', () => {
  it('[MODE-05] is answered at once in immediate_retry, whoever asks', async () => {
    const held = await openHeld({ taskResult: { mode: 'immediate_retry' } });
    const { taskId } = held;
    const data = { taskId, status: 'working', retryAfterMs: 1000 };
    expect(await refusal(held)).toEqual({ code: -32002, message: notReady(), data });
  });

  it('[MODE-06] [MODE-12] waits in blocking, also for clients on the list, but no longer than the budget', async () => {
    const held = await openHeld({ taskResult: { ...SHORT, mode: 'blocking' } }, CLAUDE);
    const { taskId } = held;
    const data = { taskId, status: 'working', retryAfterMs: 1000 };
    expect(await refusal(held)).toEqual({ code: -32002, message: OVER_BUDGET, data });
    expect((await held.get(taskId)).status).toBe('working');
    const waiting = await held.request('tasks/result', { taskId });
    await held.release();
    expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'held' }] });
  });

  it.each(['auto', 'blocking', 'immediate_retry'] as const)(
    '[MODE-07] gives what a task that has ended came to, in %s and again',
    async (mode) => {
      const client = await openLegacy({ taskResult: { mode } }, CLAUDE);
      const { taskId } = await client.start('quick');
      await client.untilStatus(taskId, 'completed');
      for (const wait of [undefined, true, false]) {
        const params = { taskId, ...(wait !== undefined && { wait }) };
        expect(await client.ask('tasks/result', params)).toMatchObject({ content: [{ text: 'done' }] });
      }
      const broken = await client.start('break');
      await client.untilStatus(broken.taskId, 'failed');
      expect((await client.send('tasks/result', { taskId: broken.taskId })).error?.code).toBe(-32050);
    },
  );
});

describe('params.wait', () => {
  it.each([
    ['immediate_retry', 'raw'],
    ['auto', 'claude-code'],
    ['auto', 'raw'],
  ] as const)('[MODE-08] [MODE-12] true waits in mode %s for %s, no longer than the budget', async (mode, name) => {
    const held = await openHeld({ taskResult: { ...SHORT, mode } }, { name });
    expect(await refusal(held, { wait: true })).toMatchObject({ code: -32002, message: OVER_BUDGET });
    const waiting = await held.request('tasks/result', { taskId: held.taskId, wait: true });
    await held.release();
    expect((await waiting.answer()).result).toMatchObject({ content: [{ text: 'held' }] });
  });

  it.each(['blocking', 'auto'] as const)('[MODE-09] false is answered at once in mode %s', async (mode) => {
    const held = await openHeld({ taskResult: { mode } });
    expect(await refusal(held, { wait: false })).toMatchObject({ code: -32002, message: notReady() });
  });

  it.each([1, 0, 'true', {}, []])('[MODE-10] is -32602 when it is no boolean: %j', async (wait) => {
    const message = 'Invalid params: tasks/result wait must be a boolean';
    expect(await refusal(await openHeld(), { wait })).toMatchObject({ code: -32602, message });
  });

  it('[MODE-10] null is as if it were not there', async () => {
    const held = await openHeld({ taskResult: { mode: 'immediate_retry' } });
    expect(await refusal(held, { wait: null })).toMatchObject({ code: -32002 });
  });
});

describe('a question under immediate_retry', () => {
  it('[MODE-11] is put on the stream of tasks/result before it is refused, once however often the client comes', async () => {
    const client = await openLegacy({}, CLAUDE);
    const { taskId } = await client.start('sure');
    await client.untilStatus(taskId, 'input_required');
    const first = await client.request('tasks/result', { taskId });
    const question = await nextOf(first.frames, 'elicitation/create');
    expect((await first.answer()).error).toEqual({
      code: -32002,
      message: notReady('input_required'),
      data: { taskId, status: 'input_required', retryAfterMs: 2000 },
    });
    const second = await client.request('tasks/result', { taskId });
    expect(await second.frames.message()).toMatchObject({ id: second.id, error: { code: -32002 } });
    await client.answer(question.id, YES);
    await client.untilStatus(taskId, 'completed');
    expect(await client.ask('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'sure: true' }] });
  });

  it('[MODE-11] is put on the standing stream too, without tasks/result', async () => {
    const client = await openLegacy({ taskResult: { mode: 'immediate_retry' } });
    const news = await client.listen();
    const { taskId } = await client.start('sure');
    await client.answer((await nextOf(news, 'elicitation/create')).id, YES);
    await until(async () => (await client.get(taskId)).status === 'completed');
  });
});
