import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createQuestionAsker } from '../../../src/cli/terminal/question-asker.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
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

function openDesk() {
  const fake = openFakeTerminal();
  const remarks: string[] = [];
  const terminal = {
    keyboard: fake.keyboard,
    remark: (line: string) => void remarks.push(line),
  } as unknown as Terminal;
  const asker = createQuestionAsker(terminal);
  const { signal } = new AbortController();
  const ask = (params: object, more: object = {}) =>
    asker({ method: 'elicitation/create', params, server: 's', callId: 'c', signal, ...more } as never);
  /** Waits for a question that has not been answered yet, and answers it. */
  let seen = 0;
  const reply = async (text: string, line: string) => {
    await until(() => fake.screen.indexOf(text, seen) !== -1 && fake.keyboard.isAsking, { what: text });
    seen = fake.screen.length;
    fake.type(line);
  };
  return { ask, reply, remarks };
}

afterEach(() => {
  vi.unstubAllEnvs();
});

it('[FIRST-401] asks field by field, and again until an answer fits, saying what was wrong', async () => {
  const { ask, reply, remarks } = openDesk();
  const answer = ask({ message: 'How?', requestedSchema });
  await reply('size (a whole number): ', '\r');
  await reply('size (a whole number): ', '1.5\r');
  await reply('size (a whole number): ', '3\r');
  await reply('Sure? (yes or no): ', 'perhaps\r');
  await reply('Sure? (yes or no): ', 'no\r');
  await reply('colour (red, blue; Enter: "red"): ', '\r');
  await reply('note: ', '\r');
  expect(await answer).toEqual({ action: 'accept', content: { size: 3, sure: false, colour: 'red' } });
  const wrong = ['size must be given', 'expected a whole number', 'expected yes or no'];
  expect(remarks.slice(2).map((line) => line.trim())).toEqual(wrong);
});

it('[CLI-21] takes Ctrl-C for a person who turns away', async () => {
  const { ask, reply } = openDesk();
  const answer = ask({ message: 'How?', requestedSchema });
  await reply('size (a whole number): ', CTRL_C);
  expect(await answer).toEqual({ action: 'cancel' });
});

const nested = {
  type: 'object',
  required: ['address', 'tags'],
  properties: {
    address: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', minLength: 2 }, floor: { type: 'integer', minimum: 0 } },
    },
    billing: { type: 'object', properties: { iban: { type: 'string' } } },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 },
    stops: { type: 'array', items: { type: 'object', properties: { at: { type: 'string' } } } },
  },
};

it('[FIRST-402] asks for nested objects, lists, choices and what must be JSON', async () => {
  vi.stubEnv('EDITOR', '').stubEnv('VISUAL', '');
  const { ask, reply } = openDesk();
  const answer = ask({ message: 'Where?', requestedSchema: nested });
  await reply('address.city: ', 'R\r');
  await reply('address.city: ', 'Rome\r');
  await reply('address.floor (a whole number): ', '2\r');
  await reply('billing: fill it in? (yes or no; Enter: no): ', '\r');
  await reply('tags (some of a, b, with commas): ', 'a,c\r');
  await reply('tags (some of a, b, with commas): ', 'a, b\r');
  await reply('stops (JSON such as [{"at":""}]): ', '[{"at":\r');
  await reply('stops (JSON such as [{"at":""}]): ', '[{"at":"noon"}]\r');
  expect(await answer).toEqual({
    action: 'accept',
    content: { address: { city: 'Rome', floor: 2 }, tags: ['a', 'b'], stops: [{ at: 'noon' }] },
  });
});

it('[FIRST-402] opens the editor of the user for JSON, over an example', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-editor-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const editor = join(folder, 'editor.sh');
  await writeFile(editor, '#!/bin/sh\nsed -i \'s/""/"dawn"/\' "$2"\n');
  await chmod(editor, 0o700);
  vi.stubEnv('VISUAL', `${editor} --wait`);
  const { ask, reply } = openDesk();
  const answer = ask({
    message: 'When?',
    requestedSchema: { type: 'object', properties: { stops: nested.properties.stops } },
  });
  await reply('stops (JSON such as [{"at":""}]; "edit" opens your editor): ', 'edit\r');
  expect(await answer).toEqual({ action: 'accept', content: { stops: [{ at: 'dawn' }] } });
});

it('[FIRST-400] asks again for what the server refused: with its reason, and with what was typed', async () => {
  const { ask, reply, remarks } = openDesk();
  const schema = { type: 'object', properties: { zip: { type: 'string' }, pin: { type: 'string' } } };
  const first = ask({ message: 'Where?', requestedSchema: schema });
  await reply('zip: ', 'x1\r');
  await reply('pin (not shown): ', '1\r');
  await first;
  const again = ask({ message: 'Where?', requestedSchema: schema }, { refusal: 'zip: five digits\u001b[2J' });
  await reply('zip (Enter: "x1"): ', '12345\r');
  // A secret is not shown again.
  await reply('pin (not shown): ', '2\r');
  expect(await again).toEqual({ action: 'accept', content: { zip: '12345', pin: '2' } });
  expect(remarks.slice(2)).toEqual([
    '\nThe server s asks again:',
    '  Where?',
    'It did not take the answer before:\n  zip: five digits\\u001b[2J',
  ]);
});
