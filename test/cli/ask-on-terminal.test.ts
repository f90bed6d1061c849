import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { askOnTerminal } from '../../src/cli/terminal/ask-on-terminal.ts';
import type { Terminal } from '../../src/cli/terminal/terminal.ts';
import { CTRL_C, openFakeTerminal } from './fake-terminal.ts';

const requestedSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer' },
    sure: { type: 'boolean', title: 'Sure?' },
    colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    note: { type: 'string' },
  },
};

function ask(params: object) {
  const fake = openFakeTerminal();
  const terminal = { keyboard: fake.keyboard, remark() {} } as unknown as Terminal;
  const { signal } = new AbortController();
  const question = { method: 'elicitation/create', params, server: 's', signal } as never;
  const answer = askOnTerminal(question, terminal);
  /** Waits for a question that has not been answered yet, and answers it. */
  let seen = 0;
  const reply = async (text: string, line: string) => {
    await until(() => fake.screen.indexOf(text, seen) !== -1 && fake.keyboard.isAsking, { what: text });
    seen = fake.screen.length;
    fake.type(line);
  };
  return { answer, reply };
}

it('asks field by field, and again until an answer fits', async () => {
  const { answer, reply } = ask({ message: 'How?', requestedSchema });
  await reply('size (a whole number): ', '\r');
  await reply('size (a whole number): ', '1.5\r');
  await reply('size (a whole number): ', '3\r');
  await reply('Sure? (yes or no): ', 'perhaps\r');
  await reply('Sure? (yes or no): ', 'no\r');
  await reply('colour (red, blue; Enter: "red"): ', '\r');
  await reply('note: ', '\r');
  expect(await answer).toEqual({ action: 'accept', content: { size: 3, sure: false, colour: 'red' } });
});

it('[CLI-21] takes Ctrl-C for a person who turns away', async () => {
  const { answer, reply } = ask({ message: 'How?', requestedSchema });
  await reply('size (a whole number): ', CTRL_C);
  expect(await answer).toEqual({ action: 'cancel' });
});
