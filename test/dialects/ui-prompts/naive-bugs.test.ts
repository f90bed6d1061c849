/** Every known fault of the first poller, shown on a port of it, and the same log read here. */
import { appendFile, type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFakeClock } from 'holdfast/testing';
import { describe, expect, it, vi } from 'vitest';
import { parseAsyncTask } from '../../../src/dialects/shared/async-task.ts';
import { cancelByTool } from '../../../src/dialects/shared/cancel-tool.ts';
import { followUiPrompts } from '../../../src/dialects/ui-prompts/host-follow.ts';
import { uiPromptsHost } from '../../../src/dialects/ui-prompts/host-half.ts';
import { prepareUiPrompts } from '../../../src/dialects/ui-prompts/host-prepare.ts';
import { countReaders, type WaitOptions } from '../../../src/dialects/ui-prompts/log/log-reader.ts';
import { createPromptLog } from '../../../src/dialects/ui-prompts/log/log-writer.ts';
import { toResultText } from '../../../src/dialects/ui-prompts/wire.ts';
import { callNaively, capNaively, NaivePoller } from './naive-poller.js';
import { openLog, type TestLog, toOtherLine, toResultLine } from './open-log.ts';
import { createTestPort } from './test-port.ts';

const UNSET = 'taskId';

describe('what the first poller got wrong', () => {
  it('[UIP-01] 1: a character that two reads share stays whole', async () => {
    const log = await openLog();
    const naive = new NaivePoller();
    const bytes = Buffer.from(toResultLine('t1', '结果 😊'));
    const cut = bytes.indexOf(Buffer.from('😊')) + 2;
    await log.append(bytes.subarray(0, cut));
    const found = log.text('t1');
    await naive.poll(log.path, 't1');
    await log.append(bytes.subarray(cut));
    expect(await naive.poll(log.path, 't1')).toContain('\uFFFD');
    expect(await found).toBe('结果 😊');
  });

  it('[UIP-01] 2: a result with 2,500 entries behind it is found', async () => {
    const log = await openLog();
    const found = log.text('t2');
    const others = Array.from({ length: 2500 }, (_, index) => toOtherLine(index));
    await log.append([toResultLine('t2', 'early'), ...others].join(''));
    expect(await new NaivePoller().poll(log.path, 't2')).toBeUndefined();
    expect(await found).toBe('early');
  });

  it('[UIP-01] 3: a file rewritten shorter that has grown past the old place loses nothing', async () => {
    const log = await openLog();
    const naive = new NaivePoller();
    await log.append(...Array.from({ length: 20 }, (_, index) => toOtherLine(index, 50)));
    const { length: size } = await readFile(log.path);
    await naive.poll(log.path, 't3');
    // Nobody looks until time moves, so cutting and growing fall between two looks.
    const clock = createFakeClock();
    const found = log.text('t3', { isWatching: false, clock });
    // The second one comes when everything has been read, and is found by reading it again.
    for (const id of ['other-19', 'other-18']) await log.text(id, { isWatching: false });
    const kept = `${toOtherLine(1, 40)}${toResultLine('t3', 'moved')}`;
    await writeFile(log.path, kept + toOtherLine(2, size));
    expect(await naive.poll(log.path, 't3')).toBeUndefined();
    await clock.advance(200);
    expect(await found).toBe('moved');
  });

  it('[UIP-01] 4: a last line without an end counts', async () => {
    const log = await openLog();
    await log.append(toResultLine('t4', 'no newline').trimEnd());
    expect(await new NaivePoller().poll(log.path, 't4')).toBeUndefined();
    expect(await log.text('t4')).toBe('no newline');
  });

  it('[UIP-01] 5: two who wait at once share one reader, and entries are read once', async () => {
    const log = await openLog();
    const naive = new NaivePoller();
    await log.append(toResultLine('t5', 'once'), toOtherLine(1));
    await Promise.all(Array.from({ length: 20 }, () => naive.poll(log.path, 't5')));
    expect(naive.countEntries(log.path), 'several appended the same two').toBeGreaterThan(2);
    const [first, second] = [log.text('t5'), log.text('t5')];
    expect(countReaders()).toBe(1);
    expect(await Promise.all([first, second])).toEqual(['once', 'once']);
  });

  it('[UIP-01] 6: a read that gives fewer bytes than it was asked for loses nothing', async () => {
    const log = await openLog();
    const markdown = 'y'.repeat(200_000);
    await log.append(toOtherLine(1, 3000), toResultLine('t6', markdown));
    const reads = await limitReads(log.path, 1000);
    try {
      expect(await new NaivePoller().poll(log.path, 't6')).toBeUndefined();
      expect(await log.text('t6')).toBe(markdown);
      expect(reads.count).toBeGreaterThan(200);
    } finally {
      reads.restore();
    }
  });

  it('[UIP-01] 7: what was read is not gone through again, however many wait and however long the log is', async () => {
    const log = await openLog();
    const naive = new NaivePoller();
    await log.append(Array.from({ length: 1000 }, (_, index) => toOtherLine(index, 1000)).join(''));
    const ids = Array.from({ length: 20 }, (_, index) => `t7-${index}`);
    const clock = createFakeClock();
    const found = Promise.all(ids.map((id) => log.text(id, { isWatching: false, clock })));
    await untilRead(log, 'probe-7', { isWatching: false, clock });
    for (const id of ids) await naive.poll(log.path, id);
    const reads = await limitReads(log.path, Infinity);
    try {
      naive.compared = 0;
      for (const id of ids) {
        await log.append(toResultLine(id, 'x'));
        await clock.advance(200);
        for (const one of ids) await naive.poll(log.path, one);
      }
      await found;
      expect(naive.compared, 'it compares every entry for everybody at every look').toBeGreaterThan(400_000);
      expect(reads.bytes, 'a look costs the same whatever lies behind').toBeLessThan(1_000_000);
    } finally {
      reads.restore();
    }
  });

  it('[UIP-01] 8: nothing is kept of a log that nobody waits on', async () => {
    const log = await openLog();
    const naive = new NaivePoller();
    await log.append(toResultLine('t8', 'gone'));
    await naive.poll(log.path, 't8');
    expect(naive.cachedPaths).toBe(1);
    await log.text('t8');
    expect(countReaders()).toBe(0);
  });

  it('[UIP-01] 9: a cancel after the acknowledgement reaches the server', async () => {
    const log = await openLog();
    let cancels = 0;
    const stop = new AbortController();
    const naive = callNaively({
      send: async () => ({ content: [] }),
      cancel: () => cancels++,
      poll: async () => stop.abort(new Error('aborted')) as undefined,
      mostLooks: 2,
      signal: stop.signal,
    });
    await expect(naive).rejects.toThrow('aborted');
    expect(cancels).toBe(0);
    const port = createTestPort();
    const { handle } = await prepare(log.folder, 'codex_app_window_run');
    const tools = [{ name: 'codex_app_window_run' }, { name: 'codex_app_window_stop' }];
    expect(await cancelByTool(handle, port, tools)).toBe(true);
    expect(port.requests).toMatchObject([{ params: { name: 'codex_app_window_stop', arguments: { taskId: UNSET } } }]);
  });

  it('[UIP-01] 10: a wait has no end of its own', async () => {
    const log = await openLog();
    const twoHours = { mostLooks: 7200, cancel: () => {}, signal: new AbortController().signal };
    const poll = async () => undefined;
    expect(await callNaively({ ...twoHours, send: async () => ({}), poll })).toContain('超时');
    const port = createTestPort();
    const { handle } = await prepare(log.folder, 'run');
    const outcome = followUiPrompts(handle, port);
    const twoDays = 48 * 3_600_000;
    await port.clock.advance(twoDays);
    await log.append(toResultLine(UNSET, 'after two days'));
    await port.clock.advance(5000);
    expect(await outcome).toMatchObject({ kind: 'result', isError: false });
  });

  it('[UIP-01] 11: an acknowledgement that is an error ends the call, and no other does', async () => {
    const failed = { content: [{ type: 'text', text: 'no such window' }], isError: true };
    const call = { send: async () => failed, cancel: () => {}, poll: async () => undefined, mostLooks: 7200 };
    expect(await callNaively({ ...call, signal: new AbortController().signal })).toContain('超时');
    const server = { era: 'legacy', capabilities: {}, isStdio: true } as const;
    const sent = { tool: 'run', meta: {}, listed: undefined, server, spec: {}, rpcId: '1', now: 0, early: undefined };
    const handle = { dialect: 'ui-prompts', taskId: 't' };
    expect(uiPromptsHost.read({ ...sent, handle, result: failed })).toBeUndefined();
    for (const result of [
      {},
      { content: [] },
      { content: [{ type: 'text', text: '调用成功' }] },
      { status: 'accepted' },
    ]) {
      expect(uiPromptsHost.read({ ...sent, handle, result })).toBe(handle);
    }
  });

  it('[UIP-01] 12: an empty markdown does not hide the result', async () => {
    const log = await openLog();
    await log.append(toResultLine('t12', '', { result: 'here', content: 'not here' }));
    expect(await new NaivePoller().poll(log.path, 't12')).toBe('（无结果内容）');
    expect(toResultText((await log.wait('t12')).prompt)).toBe('here');
  });

  it('[UIP-01] 13: a failure is an error, never a text', async () => {
    const log = await openLog();
    await log.append(toResultLine('t13', ''));
    expect(await new NaivePoller().poll(log.path, 't13')).toBe('（无结果内容）');
    const { handle } = await prepare(log.folder, 'run', 't13');
    const outcome = await followUiPrompts({ ...handle, mark: { id: '', size: 0, tail: '' } }, createTestPort());
    expect(outcome).toMatchObject({ kind: 'error', error: { code: 'EMPTY_RESULT' } });
    expect(() => parseAsyncTask({ resultSource: 'queue' })).toThrow('asyncTask.resultSource is "queue"');
  });

  it('[UIP-01] 14: a log that is cut while others append keeps every result', async () => {
    const log = await openLog();
    await log.append(toOtherLine(0));
    await capNaively(log.path, () => log.append(toResultLine('lost', 'x')));
    expect(await new NaivePoller().poll(log.path, 'lost')).toBeUndefined();
    const writer = createPromptLog({ path: log.path, maxBytes: 2000 });
    const [own, foreign] = ['own', 'foreign'].map((kind) => Array.from({ length: 30 }, (_, n) => `${kind}-${n}`));
    const ids = [...(own ?? []), ...(foreign ?? [])];
    const found = Promise.all(ids.map((id) => log.text(id)));
    const append = async () => {
      for (const id of foreign ?? []) await log.append(toResultLine(id, `text of ${id}`));
    };
    const publish = (requestId: string) => writer.publishResult({ requestId, text: `text of ${requestId}` });
    await Promise.all([append(), ...(own ?? []).map(publish)]);
    expect(await found).toEqual(ids.map((id) => `text of ${id}`));
    expect(await Promise.all(ids.map((id) => log.text(id)))).toEqual(ids.map((id) => `text of ${id}`));
  });
});

describe('a log that others move', () => {
  it('[UIP-02] moved away and made anew, it loses nothing of either file', async () => {
    const log = await openLog();
    await log.append(toOtherLine(1));
    const [before, after, late] = [log.text('a'), log.text('b'), log.text('c')];
    await untilRead(log, 'probe-moved');
    await rename(log.path, join(log.folder, 'moved.jsonl'));
    await appendFile(join(log.folder, 'moved.jsonl'), toResultLine('a', 'in the old file'));
    await log.append(toResultLine('b', 'in the new file'));
    expect(await after).toBe('in the new file');
    expect(await Promise.race([before, late])).toBe('in the old file');
    // A writer that had the old file open all the time.
    await appendFile(join(log.folder, 'moved.jsonl'), toResultLine('c', 'still in the old file'));
    expect(await late).toBe('still in the old file');
  });

  it('[UIP-02] deleted and made again, it is read from its beginning', async () => {
    const log = await openLog();
    await log.append(toOtherLine(1, 1000));
    const found = log.text('d');
    await rm(log.path);
    await log.append(toResultLine('d', 'new'));
    expect(await found).toBe('new');
  });

  it('[UIP-02] rewritten to the same length, it is read again', async () => {
    const log = await openLog();
    await log.append(toResultLine('e1', 'same length'));
    const found = log.text('e2');
    await log.text('e1');
    await writeFile(log.path, toResultLine('e2', 'same length'));
    expect(await found).toBe('same length');
  });
});

async function prepare(stateDir: string, tool: string, taskId = UNSET) {
  return prepareUiPrompts(parseAsyncTask({}), { tool, taskId, meta: {} }, { stateDir });
}

/** Puts a line into the log and waits until it is seen: everything before it has been read by then. */
async function untilRead(log: TestLog, id: string, options: Partial<WaitOptions> = {}): Promise<void> {
  await log.append(toResultLine(id, 'probe'));
  await log.text(id, options);
}

/** Lets reads of files give at most so many bytes, and counts what they gave, until they are restored. */
async function limitReads(path: string, most: number) {
  await using file = await open(path);
  const files = Object.getPrototypeOf(file) as FileHandle;
  const { read } = files;
  const seen = { count: 0, bytes: 0 };
  type Read = (...args: [Buffer, number, number, number]) => ReturnType<FileHandle['read']>;
  const limited = async function (this: FileHandle, ...[buffer, offset, length, position]: Parameters<Read>) {
    const given = await (read as Read).call(this, buffer, offset, Math.min(length, most), position);
    seen.count += 1;
    seen.bytes += given.bytesRead;
    return given;
  };
  const spy = vi.spyOn(files, 'read').mockImplementation(limited as never);
  return Object.assign(seen, { restore: () => spy.mockRestore() });
}
