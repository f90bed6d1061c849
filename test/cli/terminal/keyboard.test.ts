import { until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { CTRL_C, CTRL_D, openFakeTerminal } from './fake-terminal.ts';

it('gives what a person types', async () => {
  const terminal = openFakeTerminal();
  const answer = terminal.keyboard.ask('Name? ');
  await terminal.shows('Name? ');
  terminal.type('Ada\r');
  expect(await answer).toBe('Ada');
  expect(terminal.isRaw).toBe(false);
});

it.each([
  ['Ctrl-C', CTRL_C],
  ['Ctrl-D', CTRL_D],
])('gives nothing when the person presses %s', async (_name, key) => {
  const terminal = openFakeTerminal();
  const answer = terminal.keyboard.ask('Name? ');
  await terminal.shows('Name? ');
  terminal.type(key);
  expect(await answer).toBeUndefined();
});

it('[CLI-14] does not show what is typed for a secret', async () => {
  const terminal = openFakeTerminal();
  const answer = terminal.keyboard.ask('Password: ', { isSecret: true });
  await terminal.shows('Password: ');
  terminal.type('s3cret\r');
  expect(await answer).toBe('s3cret');
  expect(terminal.screen).not.toContain('s3');
});

it('puts one question after the other, and withdraws what is not needed any more', async () => {
  const terminal = openFakeTerminal();
  const over = new AbortController();
  const first = terminal.keyboard.ask('First? ', { signal: over.signal });
  const second = terminal.keyboard.ask('Second? ');
  await terminal.shows('First? ');
  expect(terminal.screen).not.toContain('Second? ');
  over.abort();
  expect(await first).toBeUndefined();
  await terminal.shows('Second? ');
  terminal.type('yes\r');
  expect(await second).toBe('yes');
});

it('shows each key once, however many questions came before', async () => {
  const terminal = openFakeTerminal();
  for (const name of ['one', 'two', 'three']) {
    const answer = terminal.keyboard.ask(`${name}? `);
    await terminal.shows(`${name}? `);
    terminal.type('x\r');
    expect(await answer).toBe('x');
  }
  expect(terminal.screen.split('x')).toHaveLength(4);
});

it('[CLI-21] takes Ctrl-C as a key, so that the servers it has started do not end with it', async () => {
  const terminal = openFakeTerminal();
  let pressed = 0;
  const stop = terminal.keyboard.onInterrupt(() => {
    pressed += 1;
  });
  expect(terminal.isRaw).toBe(true);
  terminal.type(CTRL_C);
  await until(() => pressed === 1, { what: 'the key' });
  stop();
  expect(terminal.isRaw).toBe(false);
});

it('[CLI-21] leaves the terminal alone in the background', () => {
  const terminal = openFakeTerminal({ isForeground: false });
  const stop = terminal.keyboard.onInterrupt(() => {});
  expect(terminal.isRaw).toBe(false);
  stop();
});

it('keeps Ctrl-C of a question for that question', async () => {
  const terminal = openFakeTerminal();
  let pressed = 0;
  const stop = terminal.keyboard.onInterrupt(() => {
    pressed += 1;
  });
  const answer = terminal.keyboard.ask('Name? ');
  await terminal.shows('Name? ');
  terminal.type(CTRL_C);
  expect(await answer).toBeUndefined();
  expect(pressed).toBe(0);
  expect(terminal.isRaw).toBe(true);
  stop();
});
