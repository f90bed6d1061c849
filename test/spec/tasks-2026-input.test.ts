import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { ACK, type Modern, named, openModern } from './open-2026.ts';

/** A task that waits for `a` and `b`, both of them open. */
async function startTwo(modern: Modern): Promise<string> {
  const taskId = await modern.start('two');
  await untilOpen(modern, taskId, ['a', 'b']);
  return taskId;
}

async function openKeys({ get }: Modern, taskId: string): Promise<string[]> {
  const { inputRequests } = await get(taskId);
  return Object.keys(inputRequests ?? {});
}

function untilOpen(modern: Modern, taskId: string, keys: readonly string[]) {
  return until(async () => String(await openKeys(modern, taskId)) === String(keys), { what: `${keys} to be open` });
}

const textOf = ({ result }: { result?: unknown }) => (result as { content: [{ text: string }] }).content[0].text;

describe('tasks/update', () => {
  it('[T26-30] is acknowledged with an empty result, marked complete', async () => {
    const modern = await openModern();
    const taskId = await startTwo(modern);
    expect(await modern.update(taskId, { a: named('Ada') })).toMatchObject({ status: 200, answer: { result: ACK } });
    expect((await modern.update(taskId, {})).answer.result).toEqual(ACK);
  });

  it('[T26-31] for an id that is no task is -32602', async () => {
    const { update } = await openModern();
    const { answer } = await update('nothing', { a: named('Ada') });
    expect(answer.error).toEqual({ code: -32602, message: 'Failed to retrieve task: Task not found' });
  });

  it('[T26-32] every question of a task has a key of its own', async () => {
    const modern = await openModern();
    const taskId = await modern.start('series');
    const seen: string[] = [];
    for (const message of ['First?', 'Second?']) {
      const { inputRequests } = await until(async () => {
        const task = await modern.get(taskId);
        return JSON.stringify(task.inputRequests ?? {}).includes(message) && task;
      });
      const [key = ''] = Object.keys(inputRequests as object);
      seen.push(key);
      await modern.update(taskId, { [key]: named(message) });
    }
    expect(new Set(seen).size).toBe(2);
    expect(textOf(await modern.untilStatus(taskId, 'completed'))).toBe('First? then Second?');
  });

  it('[T26-33] a key is never used for a second question: the tool that tries ends its task', async () => {
    const modern = await openModern();
    const taskId = await modern.start('reuse');
    await untilOpen(modern, taskId, ['k']);
    await modern.update(taskId, { k: named('Ada') });
    const task = await modern.untilStatus(taskId, 'failed');
    expect(task).toMatchObject({ error: { code: -32603, data: { code: 'REPLAY_MISMATCH' } } });
    const asked = (await modern.tasks.get(taskId)).questions.filter(({ key }) => key === 'k');
    expect(asked).toMatchObject([{ request: { message: 'First?' } }]);
  });

  it('[T26-34] responses to keys that were never issued are ignored, and the others count', async () => {
    const modern = await openModern();
    const taskId = await startTwo(modern);
    expect((await modern.update(taskId, { c: named('x'), constructor: named('y') })).answer.result).toEqual(ACK);
    expect(await openKeys(modern, taskId)).toEqual(['a', 'b']);
    await modern.update(taskId, { c: 7, a: named('Ada'), b: named('Bob') });
    expect(textOf(await modern.untilStatus(taskId, 'completed'))).toBe('Ada and Bob');
  });

  it('[T26-35] a response to a key that has been answered is ignored: the first one stands', async () => {
    const modern = await openModern();
    const taskId = await startTwo(modern);
    await modern.update(taskId, { a: named('Ada') });
    expect((await modern.update(taskId, { a: named('Eve') })).answer.result).toEqual(ACK);
    expect((await modern.update(taskId, { a: 'no longer asked' })).answer.result).toEqual(ACK);
    await modern.update(taskId, { a: named('Eve'), b: named('Bob') });
    expect(textOf(await modern.untilStatus(taskId, 'completed'))).toBe('Ada and Bob');
    expect((await modern.update(taskId, { b: named('Eve') })).answer.result).toEqual(ACK);
    expect(textOf(await modern.get(taskId))).toBe('Ada and Bob');
  });

  it('[T26-35] of two clients that answer at once, neither loses what only it answers', async () => {
    const modern = await openModern();
    const ids = await Promise.all(Array.from({ length: 8 }, () => startTwo(modern)));
    const answers = ids.flatMap((taskId) => [
      modern.update(taskId, { a: named('first') }),
      modern.update(taskId, { a: named('second'), b: named('Bob') }),
    ]);
    for (const { answer } of await Promise.all(answers)) expect(answer.result).toEqual(ACK);
    for (const taskId of ids) expect(textOf(await modern.untilStatus(taskId, 'completed'))).toMatch(/ and Bob$/);
  });

  it('[T26-36] some of the responses are enough for now: the task waits for the rest', async () => {
    const modern = await openModern();
    const taskId = await startTwo(modern);
    await modern.update(taskId, { b: named('Bob') });
    expect(await modern.get(taskId)).toMatchObject({ status: 'input_required' });
    expect(await openKeys(modern, taskId)).toEqual(['a']);
    await modern.update(taskId, { a: named('Ada') });
    expect(textOf(await modern.untilStatus(taskId, 'completed'))).toBe('Ada and Bob');
  });

  it.each([
    ['does not fit the schema', named(7)],
    ['has no values', { action: 'accept' }],
    ['has an unknown action', { action: 'maybe' }],
    ['is no object', 'Ada'],
    ['is wrapped', { method: 'elicitation/create', result: named('Ada') }],
  ])('[T26-37] a response that %s is -32602, keeps the question open and records nothing', async (_, response) => {
    const modern = await openModern();
    const taskId = await startTwo(modern);
    const { answer } = await modern.update(taskId, { a: response, b: named('Bob') });
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('"a"') });
    expect(await openKeys(modern, taskId)).toEqual(['a', 'b']);
    await modern.update(taskId, { a: named('Ada'), b: named('Ben') });
    expect(textOf(await modern.untilStatus(taskId, 'completed'))).toBe('Ada and Ben');
  });

  it.each([[undefined], [null], ['a'], [7], [[named('Ada')]]])(
    '[T26-38] inputResponses that are %j are -32602',
    async (given) => {
      const modern = await openModern();
      const taskId = await startTwo(modern);
      const { answer } = await modern.send('tasks/update', { taskId, inputResponses: given });
      expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('inputResponses') });
      expect(await openKeys(modern, taskId)).toEqual(['a', 'b']);
    },
  );

  it('[T26-39] every poll names the open questions again, under the same keys', async () => {
    const modern = await openModern();
    const taskId = await startTwo(modern);
    const { inputRequests } = await modern.get(taskId);
    expect((await modern.get(taskId)).inputRequests).toEqual(inputRequests);
  });
});

describe('what a client can be asked', () => {
  const ALL = ['form', 'url', 'sampling', 'roots'];

  it.each<[string, object, string[]]>([
    ['nothing', {}, []],
    ['elicitation', { elicitation: {} }, ['form']],
    ['forms', { elicitation: { form: {} } }, ['form']],
    ['visits', { elicitation: { url: {} } }, ['url']],
    ['sampling', { sampling: {} }, ['sampling']],
    ['roots', { roots: {} }, ['roots']],
  ])('[T26-40] a client that declares %s sees no question of another kind', async (_, capabilities, keys) => {
    const modern = await openModern();
    const taskId = await modern.start('everything');
    await untilOpen(modern, taskId, ALL);
    const task = await modern.get(taskId, { capabilities });
    expect(task.status).toBe('input_required');
    expect(Object.keys(task.inputRequests as object)).toEqual(keys);
  });
});
