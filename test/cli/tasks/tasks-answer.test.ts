import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSeededStore, type SeededStore } from './seeded-store.ts';

let seeded: SeededStore;
let taskId: string;

const schema = { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] };

async function ask(...keys: string[]): Promise<void> {
  const lease = await seeded.claim('render');
  for (const key of keys) {
    await seeded.store.tasks.ask(lease, { key, request: { kind: 'form', message: 'Publish?', schema } });
  }
}

const answers = async () => (await seeded.get(taskId)).questions.map(({ key, answer }) => [key, answer]);

beforeEach(async () => {
  seeded = await openSeededStore();
  taskId = (await seeded.add()).taskId;
});

afterEach(() => seeded.close());

it('[CLI-04] answers the question it names', async () => {
  await ask('q1', 'q2');
  expect(await seeded.cli('answer', taskId, 'q2', '{"confirm":true}')).toEqual({
    code: 0,
    stdout: 'answered q2; the task is input_required\n',
    stderr: '',
  });
  expect(await answers()).toEqual([
    ['q1', undefined],
    ['q2', { action: 'accept', content: { confirm: true } }],
  ]);
});

it('needs no key when one question is open', async () => {
  await ask('q1');
  const { code, stdout } = await seeded.here('answer', taskId, '{"confirm":false}', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ accepted: ['q1'], task: await seeded.get(taskId) });
  expect(await answers()).toEqual([['q1', { action: 'accept', content: { confirm: false } }]]);
});

it.each([
  ['--decline', 'decline'],
  ['--cancel', 'cancel'],
])('%s answers without content', async (option, action) => {
  await ask('q1', 'q2');
  expect((await seeded.here('answer', taskId, 'q1', option)).code).toBe(0);
  expect(await answers()).toEqual([
    ['q1', { action }],
    ['q2', undefined],
  ]);
});

it('[CLI-04] refuses an answer that does not fit the form, and the question stays open', async () => {
  await ask('q1');
  const { code, stderr } = await seeded.here('answer', taskId, 'q1', '{"confirm":"yes"}', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(stderr)).toEqual({
    code: 'ANSWER_INVALID',
    message: expect.stringContaining('confirm: '),
    cause: null,
  });
  expect(await answers()).toEqual([['q1', undefined]]);
});

it.each([
  [
    ['q1', 'yes'],
    `the answer is not JSON; expected a JSON value, for a form an object such as '{"confirm":true}', or - for stdin`,
  ],
  [['--decline', '--cancel'], 'give --decline or --cancel, not both'],
  [['q1', '{}', '--decline'], 'give an answer, --decline or --cancel, not two of them'],
])('refuses %j', async (args, message) => {
  expect(await seeded.here('answer', taskId, ...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `holdfast: ${message}\n`,
  });
});

it('[FIRST-414] without an answer, and with nobody to be asked, shows what one looks like', async () => {
  await ask('q1');
  for (const args of [[], ['q1']]) {
    expect(await seeded.cli('answer', taskId, ...args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `holdfast: the answer is missing; expected: JSON such as '{"confirm":false}', - for stdin, --decline or --cancel\n`,
    });
  }
});

it('asks for the key when several questions are open', async () => {
  await ask('q1', 'q2');
  expect(await seeded.here('answer', taskId, '{"confirm":true}')).toMatchObject({
    code: 2,
    stderr: `holdfast: task ${taskId} has 2 open questions; name one of: q1, q2\n`,
  });
});

it('says so when the question is not open', async () => {
  expect(await seeded.here('answer', taskId, '--decline')).toMatchObject({
    code: 5,
    stderr: `holdfast: task ${taskId} has no open question\n`,
  });
  await ask('q1');
  expect(await seeded.here('answer', taskId, 'q7', '--decline')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('"q7"; open are q1'),
  });
});
