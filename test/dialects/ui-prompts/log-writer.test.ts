import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../../src/dialects/ui-prompts/log/log-entries.ts';
import { createPromptLog } from '../../../src/dialects/ui-prompts/log/log-writer.ts';
import { isResult } from '../../../src/dialects/ui-prompts/wire.ts';
import { programPath } from '../../programs/program-path.js';
import { NaivePoller } from './naive-poller.js';
import { openLog, toResultLine } from './open-log.ts';

const PROGRAM = programPath('prompt-writer.js');

/** Runs a writer of its own; the lines it printed, whether or not it was killed. */
async function runWriter(path: string, options: object, ids: readonly string[]): Promise<string[]> {
  const args = [PROGRAM, path, JSON.stringify(options), ...ids];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
  return stdout.split('\n').filter((line: string) => line !== '');
}

describe('a result', () => {
  it('[UIP-12] is found by its id, also by the first poller, and the file belongs to the user alone', async () => {
    const log = await openLog();
    const writer = createPromptLog({ path: log.path });
    expect(await writer.publishResult({ requestId: 'w1', text: '完成 😊', source: 'a:b' })).toBe(true);
    expect(await log.text('w1')).toBe('完成 😊');
    expect(await new NaivePoller().poll(log.path, 'w1')).toBe('完成 😊');
    expect((await stat(log.path)).mode & 0o777).toBe(0o600);
    const line = JSON.parse(await readFile(log.path, 'utf8'));
    expect(Object.keys(line)).toEqual(['ts', 'type', 'action', 'requestId', 'prompt']);
  });

  it('[UIP-12] is written once, and the first content stays', async () => {
    const log = await openLog();
    const writer = createPromptLog({ path: log.path });
    const texts = ['one', 'two', 'three'];
    const written = await Promise.all(texts.map((text) => writer.publishResult({ requestId: 'w2', text })));
    expect(written.filter(Boolean)).toHaveLength(1);
    expect(await writer.publishResult({ requestId: 'w2', text: 'late' })).toBe(false);
    const markdown = texts[written.indexOf(true)];
    expect(await readEntries(log.path, 'w2')).toMatchObject([{ prompt: { markdown } }]);
  });

  it('[UIP-12] does not become part of a line that somebody left unfinished', async () => {
    const log = await openLog();
    await writeFile(log.path, `${toResultLine('first', 'whole too')}{"ts":"cut o`);
    await createPromptLog({ path: log.path }).publishResult({ requestId: 'w3', text: 'whole' });
    expect(await log.text('w3')).toBe('whole');
  });

  it('[UIP-13] of several processes at once is there exactly once each', async () => {
    const log = await openLog();
    const ids = Array.from({ length: 12 }, (_, index) => `p-${index}`);
    const printed = await Promise.all([1, 2, 3, 4].map(() => runWriter(log.path, { maxBytes: 1500 }, ids)));
    const written = printed.flat();
    expect(written).toHaveLength(4 * ids.length);
    expect(written.filter((line) => line === 'true')).toHaveLength(ids.length);
    const results = (await readEntries(log.path)).filter(isResult);
    expect(new Set(results.map(({ requestId }) => requestId))).toEqual(new Set(ids));
    expect(await Promise.all(ids.map((id) => log.text(id)))).toEqual(ids.map((id) => `text of ${id}`));
    expect(existsSync(`${log.path}.lock`)).toBe(false);
  });

  it('[UIP-13] is written although the last writer was killed with the lock in its hands', async () => {
    const log = await openLog();
    expect(await runWriter(log.path, { crashAt: 'prompt:before' }, ['k1'])).toEqual([]);
    expect(existsSync(`${log.path}.lock`)).toBe(true);
    const writers = ['k1', 'k2', 'k3'].map((requestId) => runWriter(log.path, {}, [requestId]));
    expect((await Promise.all(writers)).flat()).toEqual(['true', 'true', 'true']);
    expect(existsSync(`${log.path}.lock`)).toBe(false);
  });

  it('[UIP-13] that a killed writer had written is not written again', async () => {
    const log = await openLog();
    expect(await runWriter(log.path, { crashAt: 'prompt:after' }, ['k4'])).toEqual([]);
    expect(await runWriter(log.path, {}, ['k4'])).toEqual(['false']);
    expect((await readEntries(log.path, 'k4')).length).toBe(1);
  });

  it('[UIP-13] is refused by name while a living process holds the lock', async () => {
    const log = await openLog();
    const writer = createPromptLog({ path: log.path });
    await writer.publishResult({ requestId: 'first', text: 'x' });
    const { currentProcess } = await import('../../../src/process/process-ref.ts');
    await writeFile(`${log.path}.lock`, JSON.stringify(currentProcess()));
    const late = createPromptLog({ path: log.path, lockTimeoutMs: 50 });
    await expect(late.publishResult({ requestId: 'second', text: 'x' })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    });
  });
});

describe('a log that reaches its size', () => {
  it('[UIP-14] moves on to a new file, and every result can still be found', async () => {
    const log = await openLog();
    const clock = createFakeClock(Date.now());
    const writer = createPromptLog({ path: log.path, maxBytes: 4000, clock });
    const ids = Array.from({ length: 30 }, (_, index) => `c-${index}`);
    for (const requestId of ids) {
      await writer.publishResult({ requestId, text: 'x'.repeat(200) });
      await clock.advance(61_000);
    }
    expect((await readdir(log.folder)).length).toBeGreaterThan(1);
    for (const id of ids) expect(await log.text(id), id).toBe('x'.repeat(200));
    expect(await writer.publishResult({ requestId: 'c-0', text: 'again' }), 'known from a rotated file').toBe(false);
  });

  it('[UIP-14] stays small, keeps what waits for an answer in sight, and drops what is answered', async () => {
    const log = await openLog();
    const clock = createFakeClock(Date.now());
    const writer = createPromptLog({ path: log.path, maxBytes: 4000, clock });
    const asked = await writer.request({ kind: 'kv', title: 'Who?', fields: [{ key: 'name' }] });
    for (let index = 0; index < 30; index++) {
      await writer.publishResult({ requestId: `a-${index}`, text: 'x'.repeat(200) });
      await writer.respond(`a-${index}`, { status: 'ok' });
      await clock.advance(61_000);
    }
    expect((await stat(log.path)).size).toBeLessThan(4000);
    expect(await readFile(log.path, 'utf8')).toContain(asked);
    expect((await writer.pending()).map(({ requestId }) => requestId)).toEqual([asked]);
  });

  it('[UIP-14] forgets rotated files after a time', async () => {
    const log = await openLog();
    const clock = createFakeClock(Date.now());
    const writer = createPromptLog({ path: log.path, maxBytes: 1000, keepMs: 1000, clock });
    const text = 'x'.repeat(700);
    for (const requestId of ['o1', 'o2', 'o3', 'o4', 'o5']) {
      await writer.publishResult({ requestId, text });
      await clock.advance(requestId === 'o3' ? 3_600_000 : 61_000);
    }
    expect((await readdir(log.folder)).sort()).toEqual(['ui-prompts.jsonl', 'ui-prompts.jsonl.4']);
  });

  it('[UIP-14] comes out of a rotation that was cut short', async () => {
    const log = await openLog();
    await writeFile(log.path, toResultLine('before', 'x'.repeat(900)).replace('2030-', '2020-'));
    await writeFile(`${log.path}.next`, 'half a fi');
    const writer = createPromptLog({ path: log.path, maxBytes: 1000 });
    await writer.publishResult({ requestId: 'after', text: 'y'.repeat(200) });
    expect(await Promise.all([log.text('before'), log.text('after')])).toEqual(['x'.repeat(900), 'y'.repeat(200)]);
    expect((await readdir(log.folder)).sort()).toEqual(['ui-prompts.jsonl', 'ui-prompts.jsonl.1']);
  });
});

it('[SEC-126] is not copied over and over while everything in it is new', async () => {
  const log = await openLog();
  const clock = createFakeClock(Date.now());
  const writer = createPromptLog({ path: log.path, clock });
  const ids = Array.from({ length: 8 }, (_, index) => `m-${index}`);
  for (const requestId of ids) await writer.publishResult({ requestId, text: requestId.repeat(350_000) });
  const readSizes = async () => {
    const names = await readdir(log.folder);
    return Promise.all(names.map(async (name) => (await stat(join(log.folder, name))).size));
  };
  const written = ids.length * 3 * 350_000;
  const toSum = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);
  expect(toSum(await readSizes())).toBeLessThan(1.1 * written);
  await clock.advance(61_000);
  await writer.publishResult({ requestId: 'later', text: 'x' });
  expect((await stat(log.path)).size, 'what is old has moved on').toBeLessThan(5 * 1024 * 1024);
  expect(toSum(await readSizes())).toBeLessThan(1.6 * written);
  for (const id of ids) expect(await log.text(id), id).toBe(id.repeat(350_000));
});

it('[SEC-126] does not grow for ever because its entries say that they are new', async () => {
  const log = await openLog();
  // The year 2030, which is still to come.
  await writeFile(log.path, toResultLine('later', 'x'.repeat(5000)));
  await createPromptLog({ path: log.path, maxBytes: 1000 }).publishResult({ requestId: 'now', text: 'y' });
  expect((await stat(log.path)).size).toBeLessThan(1000);
  expect(await log.text('later')).toBe('x'.repeat(5000));
});

describe('secrets', () => {
  it('[UIP-15] are never in the log in clear text', async () => {
    const log = await openLog();
    const writer = createPromptLog({ path: log.path });
    const fields = [
      { key: 'user', default: 'ann' },
      { key: 'token', secret: true, default: 'hunter2' },
    ];
    const requestId = await writer.request({ kind: 'kv', fields });
    expect(await writer.respond(requestId, { status: 'ok', values: { user: 'bob', token: 's3cret' } })).toBe(true);
    await writer.respond('unknown', { status: 'ok', values: { anything: 'private' } });
    const text = await readFile(log.path, 'utf8');
    for (const secret of ['hunter2', 's3cret', 'private']) expect(text).not.toContain(secret);
    expect(text).toContain('bob');
    expect(await writer.respond(requestId, { status: 'canceled' }), 'there was an answer before').toBe(false);
  });
});

it('[UIP-12] leaves no lock and no other file behind', async () => {
  const log = await openLog();
  const writer = createPromptLog({ path: join(log.folder, 'new', 'dir', 'ui-prompts.jsonl') });
  await writer.publishResult({ requestId: 'x', text: 'y' });
  expect(await readdir(join(log.folder, 'new', 'dir'))).toEqual(['ui-prompts.jsonl']);
});
