import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { onInterrupt } from '../../../src/cli/terminal/interrupt.ts';
import { CTRL_C, type FakeTerminal, openFakeTerminal } from './fake-terminal.ts';

const QUESTION = 'c: cancel the work, d: leave it running and go, Enter: wait on';

/** Calls that are waited for at a terminal, and what becomes of them. */
function openScene(options: { readonly json?: boolean; readonly isDeaf?: boolean } = {}) {
  const { json = false, isDeaf = false } = options;
  const fake: FakeTerminal = openFakeTerminal();
  const happened: string[] = [];
  const toCall = (callId: string) => ({
    callId,
    cancel: async () => {
      happened.push(`cancel ${callId}`);
      if (isDeaf) await new Promise(() => {});
      return 'confirmed' as const;
    },
    detach: () => void happened.push(`detach ${callId}`),
  });
  const terminal = { json, keyboard: fake.keyboard, remark: (line: string) => void happened.push(line) };
  const exit = (code: number) => void happened.push(`exit ${code}`);
  const stop = onInterrupt({ calls: ['a', 'b'].map(toCall), terminal, exit });
  const untilHappened = (what: string) => until(() => happened.includes(what), { what });
  return { fake, happened, stop, untilHappened };
}

it('[CLI-21] Ctrl-C asks once for all calls, and c cancels them', async () => {
  const { fake, happened, untilHappened } = openScene();
  fake.type(CTRL_C);
  await fake.shows(QUESTION);
  expect(happened).toEqual([]);
  fake.type('c\r');
  await untilHappened('cancel b');
  expect(happened).toEqual(['cancelling; Ctrl-C again ends at once', 'cancel a', 'cancel b']);
});

it('[CLI-21] [FIRST-422] d leaves the calls pending, with one key', async () => {
  const { fake, happened, untilHappened } = openScene();
  fake.type(CTRL_C);
  await fake.shows(QUESTION);
  fake.type('d');
  await untilHappened('detach b');
  expect(happened).toEqual(['detach a', 'detach b']);
});

it('[CLI-21] Enter waits on, and the next Ctrl-C asks again', async () => {
  const { fake, happened, untilHappened } = openScene();
  fake.type(CTRL_C);
  await fake.shows(QUESTION);
  fake.type('\r');
  await until(() => !fake.keyboard.isAsking, { what: 'the end of the question' });
  const before = fake.screen.length;
  fake.type(CTRL_C);
  await until(() => fake.screen.slice(before).includes(QUESTION), { what: 'the question again' });
  fake.type('d\r');
  await untilHappened('detach b');
  expect(happened).not.toContain('cancel a');
});

it('[CLI-21] a second Ctrl-C ends at once, instead of an answer and while a cancel takes its time', async () => {
  const asked = openScene();
  asked.fake.type(CTRL_C);
  await asked.fake.shows(QUESTION);
  asked.fake.type(CTRL_C);
  await asked.untilHappened('exit 130');
  expect(asked.happened[0]).toBe('left pending: a, b; holdfast calls resume waits for them again');
  const cancelling = openScene({ isDeaf: true });
  cancelling.fake.type(CTRL_C);
  await cancelling.fake.shows(QUESTION);
  cancelling.fake.type('c\r');
  await cancelling.untilHappened('cancel b');
  cancelling.fake.type(CTRL_C);
  await cancelling.untilHappened('exit 130');
});

it('[CLI-21] with --json nobody is asked, and the work is cancelled', async () => {
  const { fake, happened, untilHappened } = openScene({ json: true });
  fake.type(CTRL_C);
  await untilHappened('cancel b');
  expect(happened).toEqual(['cancel a', 'cancel b']);
  expect(fake.screen).toBe('');
});

it('withdraws the question when the calls end meanwhile', async () => {
  const { fake, happened, stop } = openScene();
  fake.type(CTRL_C);
  await fake.shows(QUESTION);
  stop();
  await until(() => !fake.keyboard.isAsking, { what: 'the end of the question' });
  expect(happened).toEqual([]);
});
