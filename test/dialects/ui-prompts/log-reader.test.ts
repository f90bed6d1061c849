import { appendFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeMark } from '../../../src/dialects/ui-prompts/log/log-mark.ts';
import { countReaders, waitForResult } from '../../../src/dialects/ui-prompts/log/log-reader.ts';
import { openLog, toOtherLine, toResultLine } from './open-log.ts';

describe('a wait', () => {
  it('[UIP-03] finds a result that was there before it began', async () => {
    const log = await openLog();
    await log.append(toOtherLine(1), toResultLine('early', 'text'), toOtherLine(2));
    expect(await log.text('early')).toBe('text');
  });

  it('[UIP-03] that begins while others wait finds what was there before it', async () => {
    const log = await openLog();
    await log.append(toResultLine('early', 'text'), toOtherLine(1));
    const [other] = [log.text('later'), await log.text('early')];
    expect(await log.text('early')).toBe('text');
    await log.append(toResultLine('later', 'more'));
    expect(await other).toBe('more');
  });

  it('[UIP-04] takes the id alone or with the prefix, and no other', async () => {
    const log = await openLog();
    const found = log.wait('7');
    await log.append(toResultLine('old:7', 'no'), toResultLine('77', 'no'), toResultLine(' mcp-task:7 ', 'legacy'));
    expect((await found).prompt.markdown).toBe('legacy');
    expect(await log.text('7', { requestIdPrefix: 'old:' })).toBe('no');
  });

  it('[UIP-04] passes over responses, other kinds and other types', async () => {
    const log = await openLog();
    const found = log.wait('8');
    const base = { type: 'ui_prompt', action: 'request', requestId: '8', prompt: { kind: 'result', markdown: 'no' } };
    await log.append(
      `${JSON.stringify({ ...base, type: 'note' })}\n`,
      `${JSON.stringify({ ...base, action: 'response', response: { status: 'ok' } })}\n`,
      `${JSON.stringify({ ...base, prompt: { kind: 'kv', fields: [] } })}\n`,
      toResultLine('8', 'yes'),
    );
    expect((await found).prompt.markdown).toBe('yes');
  });

  it('[UIP-05] without watching looks at least once in an interval', async () => {
    const log = await openLog();
    const found = log.text('polled', { isWatching: false, pollIntervalMs: 200 });
    await log.append(toResultLine('polled', 'seen'));
    expect(await found).toBe('seen');
  });

  it('[UIP-05] begins before the directory is there', async () => {
    const log = await openLog();
    const path = join(log.folder, 'later', 'ui-prompts.jsonl');
    const found = waitForResult(path, { taskId: 'd', requestIdPrefix: '', pollIntervalMs: 200 });
    await mkdir(join(log.folder, 'later'));
    await writeFile(path, toResultLine('d', 'text'));
    expect((await found).prompt.markdown).toBe('text');
  });

  it('[UIP-05] goes on when the directory is made anew', async () => {
    const log = await openLog();
    const folder = join(log.folder, 'state');
    const path = join(folder, 'ui-prompts.jsonl');
    await mkdir(folder);
    const found = waitForResult(path, { taskId: 'd', requestIdPrefix: '', pollIntervalMs: 200 });
    await rm(folder, { recursive: true });
    await mkdir(folder);
    await writeFile(path, toResultLine('d', 'text'));
    expect((await found).prompt.markdown).toBe('text');
  });

  it('[UIP-06] stops when its signal fires, and leaves nothing behind', async () => {
    const log = await openLog();
    const stop = new AbortController();
    const found = log.wait('never', { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(found).rejects.toThrow('enough');
    expect(countReaders()).toBe(0);
    await expect(log.wait('never', { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('[UIP-07] reads lines with CR LF, a byte order mark and entries of 10 MB', async () => {
    const log = await openLog();
    const big = '界'.repeat(4 * 1024 * 1024);
    await log.append(`\uFEFF${toResultLine('bom', 'first').trimEnd()}\r\n\r\n`, toResultLine('big', big));
    await log.append(toResultLine('crlf', 'last').replace('\n', '\r\n'));
    expect(await Promise.all([log.text('bom'), log.text('crlf')])).toEqual(['first', 'last']);
    expect(await log.text('big')).toBe(big);
  });

  it('[UIP-07] reads ids and names that were written with escapes', async () => {
    const log = await openLog();
    const escaped = toResultLine('任务/1', 'x')
      .replace('任务/1', '\\u4efb\\u52a1\\/1')
      .replace('requestId', 'request\\u0049d');
    await log.append(escaped, toResultLine('plain', 'y').replace('plain', 'pl\\u0061in'));
    expect(await Promise.all([log.text('任务/1'), log.text('plain')])).toEqual(['x', 'y']);
  });

  it('[UIP-08] passes over hostile lines', async () => {
    const log = await openLog();
    const deep = `{"requestId":"h","type":"ui_prompt","prompt":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const lines = [
      'not json',
      '{"requestId":"h"',
      '[1,2]',
      'null',
      deep,
      '{"requestId":{"h":1},"type":"ui_prompt"}',
      '{"requestId":"h","type":"ui_prompt","action":"request","prompt":"result"}',
      '{"requestId":"h","type":"ui_prompt","action":"request","prompt":{"kind":["result"],"markdown":"no"}}',
      '{"__proto__":{"type":"ui_prompt","action":"request","prompt":{"kind":"result","markdown":"no"}},"requestId":"h"}',
      '{"requestId":"h","type":"ui_prompt","action":"request","prompt":{"__proto__":{"kind":"result","markdown":"no"}}}',
      '\u0000\u0000\u0000',
      'x'.repeat(70 * 1024 * 1024),
    ];
    const found = log.text('h');
    for (const line of lines) await log.append(`${line}\n`);
    await log.append(toResultLine('h', 'yes'), toResultLine('h', 'a second one'));
    expect(await found).toBe('yes');
    expect(await log.text('h'), 'the first of several counts').toBe('yes');
  });

  it('[UIP-09] that knows a mark does not read what lies before it', async () => {
    const log = await openLog();
    await log.append(toResultLine('m', 'before the mark'));
    const mark = await takeMark(log.path);
    const found = log.text('m', { mark });
    await log.append(toResultLine('m', 'after the mark'));
    expect(await found).toBe('after the mark');
  });

  it('[UIP-09] does not trust a mark in a file that was rewritten', async () => {
    const log = await openLog();
    await log.append(toOtherLine(1, 500), toOtherLine(2, 500));
    const mark = await takeMark(log.path);
    await writeFile(log.path, `${toResultLine('m', 'moved up')}${toOtherLine(3, 3000)}`);
    expect(await log.text('m', { mark })).toBe('moved up');
  });

  it('[UIP-10] reads a log through a link', async () => {
    const log = await openLog();
    const link = join(log.folder, 'link.jsonl');
    await symlink(log.path, link);
    const found = waitForResult(link, { taskId: 'l', requestIdPrefix: '', pollIntervalMs: 200 });
    await appendFile(log.path, toResultLine('l', 'text'));
    expect((await found).prompt.markdown).toBe('text');
  });

  it('[UIP-10] is one of a thousand on the same log, and each gets its own', async () => {
    const log = await openLog();
    const ids = Array.from({ length: 1000 }, (_, index) => `many-${index}`);
    const found = Promise.all(ids.map((id) => log.text(id)));
    expect(countReaders()).toBe(1);
    await log.append(ids.map((id) => toResultLine(id, `of ${id}`)).join(''));
    expect(await found).toEqual(ids.map((id) => `of ${id}`));
  });
});
