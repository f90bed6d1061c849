/** Whatever ends a task of the contract of prompts, there is one prompt of it, and its entry in the task store is right. */
import { join } from 'node:path';
import { createTaskClient } from 'holdfast';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliverPrompt } from '../../../src/dialects/ui-prompts/server.ts';
import { runCli } from '../../cli/run-cli.ts';
import { connect as connectLegacy } from '../../spec/open-2025.ts';
import { readAnswer } from '../jobs/open-job-calls.ts';
import { postModern } from '../open-http.ts';
import { openPrompts, type PromptRig } from './open-prompts.ts';

let rig: PromptRig;

beforeAll(async () => {
  rig = await openPrompts();
});

afterAll(() => rig.close());

const ENDS = [
  { end: 'a text', args: { result: '# Report\n\n😊' }, told: '# Report\n\n😊' },
  {
    end: 'several contents',
    args: { result: { content: [text('one'), { type: 'audio', data: '', mimeType: 'a/b' }] } },
    told: 'one\n[audio]',
  },
  {
    end: 'structured content alone',
    args: { result: { content: [], structuredContent: { pages: 3 } } },
    told: '{"pages":3}',
  },
  { end: 'nothing', args: { result: { content: [] } }, told: 'run completed' },
];

const FAILURES = [
  { end: 'an error result', args: { result: { isError: true, content: [text('it jammed')] } }, told: 'it jammed' },
  {
    end: 'an error result without a word',
    args: { result: { isError: true, content: [] } },
    told: 'run failed, without a word',
  },
  { end: 'an exception', args: { error: 'out of paper' }, told: 'out of paper' },
  { end: 'an exception without a word', args: { error: '' }, told: 'Error' },
];

const CASES = [
  ...ENDS.map((one) => ({ ...one, status: 'completed' as const, error: null })),
  ...FAILURES.map((one) => ({ ...one, status: 'failed' as const, error: { message: one.told } })),
];

function text(value: string) {
  return { type: 'text', text: value };
}

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('a task of the contract of prompts', () => {
  it.each(CASES)('[UIP-33] [UIP-37] that ends with $end has one prompt, and says so in the task store', async (one) => {
    const { end, args, told, status, error } = one;
    await rig.call(end, args);
    const prompt = { kind: 'result', markdown: told, resultStatus: status };
    expect(await rig.untilTold(end)).toMatchObject([{ requestId: end, prompt }]);
    expect(await rig.untilStored(end, status)).toEqual({
      id: end,
      source: 'mcp',
      status,
      input: JSON.stringify(args),
      workingDirectory: '',
      windowId: '',
      runId: '',
      createdAt: ISO,
      startedAt: ISO,
      finishedAt: ISO,
      error,
      promptRequestId: end,
      promptSentAt: ISO,
      resultText: told,
      resultStatus: status,
      resultAt: ISO,
    });
  });

  it.each([
    [{ kind: 'interrupted', reason: 'its worker died' } as const, 'Interrupted: its worker died'],
    [{ kind: 'expired', was: 'result', reason: 'its time was up' } as const, 'Expired: its time was up'],
  ])(
    '[UIP-33] [UIP-37] with the outcome %j has one prompt, as failed, however often it is delivered',
    async (outcome, told) => {
      await rig.call('template');
      await rig.untilTold('template');
      const template = await createTaskClient(rig.view, { identity: 'app' }).get('template');
      const task = { ...template, status: 'failed', outcome } as const;
      const [log, store] = ['ui-prompts.jsonl', 'app_state.v1.json'].map((name) => join(rig.dir, name));
      const message = { task, data: { taskId: outcome.kind, log: log ?? '', store: store ?? '' }, tries: 1 };
      await Promise.all([deliverPrompt(message), deliverPrompt(message), deliverPrompt(message)]);
      const prompt = { markdown: told, resultStatus: 'failed' };
      expect(await rig.untilTold(outcome.kind)).toMatchObject([{ prompt }]);
      expect(await rig.stored(outcome.kind)).toMatchObject({ status: 'failed', error: { message: told } });
    },
  );

  it('[UIP-33] with a result that no entry can hold is told as much of it as fits', async () => {
    const template = await createTaskClient(rig.view, { identity: 'app' }).get('template');
    const value = { content: [text('\u0001'.repeat(6 * 1024 * 1024))] };
    const task = { ...template, outcome: { kind: 'result', value } } as const;
    const log = join(rig.dir, 'huge.jsonl');
    await deliverPrompt({ task, data: { taskId: 'huge', log }, tries: 1 });
    const [prompt] = await rig.prompts('huge.jsonl');
    expect(prompt?.prompt.markdown).toMatch(/… \(cut: the whole has 6291456 characters\)$/);
  });

  it('[UIP-33] [UIP-37] that runs too long has one prompt, as failed', async () => {
    await rig.call('late', {}, { tool: 'slow' });
    const [prompt, ...more] = await rig.untilTold('late');
    expect([prompt?.prompt.resultStatus, more]).toEqual(['failed', []]);
    expect(prompt?.prompt.markdown).toContain('50 ms');
    expect(await rig.untilStored('late', 'failed')).toMatchObject({ error: { message: prompt?.prompt.markdown } });
  });

  it('[UIP-33] [UIP-38] that a client of 2025-11-25 cancels by its id has one prompt, as aborted', async () => {
    const client = await connectLegacy(rig.url);
    await rig.call('cancelled-1', { gate: 'never' });
    await rig.untilStored('cancelled-1', 'running');
    expect(await client.ask('tasks/cancel', { taskId: 'cancelled-1' })).toMatchObject({ status: 'cancelled' });
    await expectAborted('cancelled-1', 'Cancelled: The task was cancelled by request.');
  });

  it('[UIP-33] [UIP-38] that a client of 2026-07-28 cancels by its id has one prompt, as aborted', async () => {
    await rig.call('cancelled-2', { gate: 'never' });
    const request = { method: 'tasks/cancel', params: { taskId: 'cancelled-2' }, tasks: true };
    expect((await readAnswer(await postModern(rig.url, request))).error).toBeUndefined();
    await expectAborted('cancelled-2', 'Cancelled: cancelled by the client');
  });

  it('[UIP-33] [UIP-38] that the command line cancels by its id has one prompt, as aborted', async () => {
    await rig.call('cancelled-3', { gate: 'never' });
    const store = ['--store', rig.store];
    expect(await runCli(['tasks', 'cancel', 'cancelled-3', '--reason', 'no ink', ...store])).toMatchObject({ code: 0 });
    await expectAborted('cancelled-3', 'Cancelled: no ink');
    expect((await runCli(['tasks', 'show', 'cancelled-3', ...store])).stdout).toContain('cancelled-3');
  });

  async function expectAborted(taskId: string, markdown: string): Promise<void> {
    expect(await rig.untilTold(taskId)).toMatchObject([{ prompt: { markdown, resultStatus: 'aborted' } }]);
    expect(await rig.untilStored(taskId, 'aborted')).toMatchObject({ error: { message: markdown } });
  }

  it('[UIP-37] shows in the task store that it waits for its turn, and that it runs', async () => {
    await rig.call('turn-1', { gate: 'turn-1' }, { tool: 'single' });
    await rig.call('turn-2', { gate: 'turn-2' }, { tool: 'single' });
    await rig.untilStored('turn-1', 'running');
    expect(await rig.untilStored('turn-2', 'queued')).toMatchObject({ startedAt: '', finishedAt: '', error: null });
    rig.open('turn-1');
    expect(await rig.untilStored('turn-2', 'running')).toMatchObject({ startedAt: ISO, resultText: '' });
    rig.open('turn-2');
    expect(await rig.untilStored('turn-2', 'completed')).toMatchObject({ resultText: 'one at a time' });
  });

  it('[UIP-37] shows as running while it waits for an answer, and goes on with it', async () => {
    const tasks = createTaskClient(rig.view, { identity: 'app' });
    await rig.call('asks', {}, { tool: 'ask' });
    const { questions } = await until(async () =>
      [await tasks.get('asks')].find(({ status }) => status === 'input_required'),
    );
    expect(await rig.untilStored('asks', 'running')).toMatchObject({ finishedAt: '' });
    const [question] = questions;
    await tasks.answer('asks', { [question?.key ?? '']: { action: 'accept', content: { sure: true } } });
    expect(await rig.untilTold('asks')).toMatchObject([{ prompt: { markdown: 'sure: true' } }]);
  });

  it('[UIP-38] is unknown to others by its id', async () => {
    await rig.call('mine');
    expect(await rig.untilTold('mine')).toHaveLength(1);
    const [own, other] = [
      createTaskClient(rig.view, { identity: 'app' }),
      createTaskClient(rig.view, { identity: 'other' }),
    ];
    expect(await own.get('mine')).toMatchObject({ alias: 'mine' });
    await expect(own.get('mine', { principal: 'eve' })).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await expect(other.get('mine')).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });
});
