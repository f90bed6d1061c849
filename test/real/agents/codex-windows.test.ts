import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGate } from '../../engine/open-rig.ts';
import { textOf } from '../../host/open-host.ts';
import { type CodexSite, openCodex } from './open-codex.ts';

const RUN = 'codex_app_window_run';
const WAIT = { timeoutMs: 60_000 };

const [sides, queued] = [createGate(), createGate()];

let site: CodexSite;

beforeAll(async () => {
  site = await openCodex({
    'left side': [{ shell: 'echo left > side.txt' }, { say: 'left is done', after: sides.opened }],
    'right side': [{ shell: 'echo right > side.txt' }, { say: 'right is done', after: sides.opened }],
    'first of two': [{ shell: 'echo one >> order.txt' }, { say: 'one', after: queued.opened }],
    'second of two': [{ shell: 'echo two >> order.txt' }, { say: 'two' }],
    'remember me': [{ say: 'I will' }],
    'who am I': [{ say: 'the one to remember' }],
  });
});

afterAll(() => site.close());

async function start(prompt: string, folder: string) {
  const host = await site.host();
  return host.call('codex', RUN, { prompt }, { meta: { workdir: folder, stream: true } });
}

it('[CREAL-06] two windows run at the same time, each in its own directory', async () => {
  const [left, right] = [await site.folder('left'), await site.folder('right')];
  const calls = [await start('left side', left), await start('right side', right)];
  // Neither is answered before both have run their command.
  await until(() => countAsked('left side') === 2 && countAsked('right side') === 2, WAIT);
  sides.open();
  expect(await Promise.all(calls.map(async (call) => textOf(await call.outcome())))).toEqual([
    'left is done',
    'right is done',
  ]);
  expect(await readFile(join(left, 'side.txt'), 'utf8')).toBe('left\n');
  expect(await readFile(join(right, 'side.txt'), 'utf8')).toBe('right\n');
});

it('[CREAL-07] two runs queued in one window go one after the other, and each gets its own result', async () => {
  const folder = await site.folder('queue');
  const first = await start('first of two', folder);
  await until(() => countAsked('first of two') === 2, WAIT);
  const second = await start('second of two', folder);
  await second.sent();
  queued.open();
  expect(textOf(await second.outcome())).toBe('two');
  expect(textOf(await first.outcome())).toBe('one');
  expect(await readFile(join(folder, 'order.txt'), 'utf8')).toBe('one\ntwo\n');
});

it('[CREAL-08] the next run of a window goes on with its thread', async () => {
  const folder = await site.folder('thread');
  const first = await start('remember me', folder);
  expect(textOf(await first.outcome())).toBe('I will');
  const threads = (await site.state()).windows.map(({ threadId }) => threadId);
  const second = await start('who am I', folder);
  expect(textOf(await second.outcome())).toBe('the one to remember');
  // The model is shown the whole thread.
  expect(site.api.asked.at(-1)).toEqual([expect.stringContaining('remember me'), expect.stringContaining('who am I')]);
  expect((await site.state()).windows.map(({ threadId }) => threadId)).toEqual(threads);
});

it('[CREAL-04] nobody but the model on loopback is asked for anything', () => {
  expect(site.api.strangers).toEqual([]);
});

function countAsked(prompt: string): number {
  return site.api.asked.filter((words) => words.at(-1)?.includes(prompt)).length;
}
