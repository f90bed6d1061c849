import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { explainWait } from '../../../src/dialects/ui-prompts/explain.ts';
import { readTaskStore } from '../../../src/dialects/ui-prompts/task-store/task-store.ts';
import { writeStoredTask } from '../../../src/dialects/ui-prompts/task-store/write-stored-task.ts';
import { openLog, toOtherLine, toResultLine } from './open-log.ts';

const options = { taskId: 'e1', requestIdPrefix: 'mcp-task:' };

describe('why a wait has found nothing', () => {
  const response = { type: 'ui_prompt', action: 'response', requestId: 'e1', response: { status: 'ok' } };
  it.each<[string, string, string]>([
    ['nothing', toOtherLine(1), 'a result needs the requestId "e1" or "mcp-task:e1"'],
    ['other-request-id', toResultLine('job-e1', 'x'), 'the requestId "job-e1"'],
    ['wrong-action', `${JSON.stringify(response)}\n`, 'the action "response"'],
    ['wrong-kind', toResultLine('e1', 'x', { kind: 'kv' }), 'the kind "kv"'],
    ['no-text', toResultLine('mcp-task:e1', ' '), 'without a text in markdown, result or content'],
    ['found', toResultLine('e1', 'x'), 'has a result'],
  ])('[UIP-28] is told as %s', async (reason, line, message) => {
    const log = await openLog();
    await log.append(toOtherLine(0), 'garbage\n', line);
    const why = await explainWait(log.path, options);
    expect(why).toMatchObject({ reason, skippedLines: 1 });
    expect(why.message).toContain(message);
  });

  const toLine = (entry: object) => `${JSON.stringify({ requestId: 'e1', type: 'ui_prompt', ...entry })}\n`;
  const prompt = { kind: 'result', markdown: 'x' };
  it.each<[string, string, string]>([
    ['wrong-action', toLine({ action: 'result', prompt }), 'the action "result"; a result has "request"'],
    ['wrong-action', toLine({ action: 'response', prompt }), 'the action "response"'],
    ['wrong-action', toLine({ prompt }), 'the action "no text (absent)"'],
    [
      'wrong-type',
      toLine({ type: 'prompt', action: 'request', prompt }),
      'the type "prompt"; a result has "ui_prompt"',
    ],
    ['wrong-kind', toLine({ action: 'request', prompt: 'x' }), 'the kind ""'],
    ['corrupt', toLine({ action: 'request', prompt }).replace('}', ''), 'in a line that is no JSON'],
    ['corrupt', toLine({ action: 'request', prompt }).slice(0, 50), 'in a line that is no JSON'],
    ['nothing', toOtherLine(7), 'and its newest is for "other-7"'],
  ])('[SEC-128] is told as %s, also when the line is no entry', async (reason, line, message) => {
    const log = await openLog();
    await log.append(toOtherLine(0), line);
    const why = await explainWait(log.path, options);
    expect(why.reason).toBe(reason);
    expect(why.message).toContain(message);
  });

  it('[UIP-28] is that there is no log, or one that cannot be read', async () => {
    const log = await openLog();
    expect((await explainWait(log.path, options)).reason).toBe('no-log');
    const folder = await explainWait(log.folder, options);
    expect(folder).toMatchObject({ reason: 'no-log', message: expect.stringContaining('cannot be read') });
  });

  it('[UIP-08] counts the lines that are no entries', async () => {
    const log = await openLog();
    const lines = [
      'x',
      '{}',
      '[]',
      '{"requestId":1,"type":"ui_prompt"}',
      '{"type":"ui_prompt","requestId":"a"}',
      '',
      ' ',
    ];
    await log.append(lines.join('\r\n'), '\n', toOtherLine(1));
    expect((await explainWait(log.path, options)).skippedLines).toBe(5);
  });
});

describe('a task store', () => {
  async function makePath(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-store-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return join(folder, 'app_state.v1.json');
  }

  it('[UIP-29] keeps every field of its tasks, and whatever else the app has in the file', async () => {
    const path = await makePath();
    await writeFile(path, JSON.stringify({ version: 1, windows: [{ id: 'w' }], mcpTasks: [{ id: 'old', x: 1 }] }));
    await writeStoredTask(path, {
      id: 'new',
      status: 'running',
      input: 'do it',
      startedAt: '2030-01-01T00:00:00.000Z',
    });
    await writeStoredTask(path, { id: 'new', status: 'completed', resultText: 'r'.repeat(5000) });
    const state = JSON.parse(await readFile(path, 'utf8'));
    expect(state).toMatchObject({ version: 1, windows: [{ id: 'w' }] });
    expect(state.mcpTasks[1]).toMatchObject({ id: 'new', status: 'completed', input: 'do it', promptRequestId: 'new' });
    expect(Object.keys(state.mcpTasks[1])).toHaveLength(16);
    expect(state.mcpTasks[1].resultText.length).toBeLessThan(4100);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('[UIP-29] loses nothing to writers at once, and drops what ended first when there are too many', async () => {
    const path = await makePath();
    await writeStoredTask(path, { id: 'open', status: 'running' });
    const ids = Array.from({ length: 210 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => writeStoredTask(path, { id, status: 'completed' })));
    const tasks = await readTaskStore(path);
    expect(tasks).toHaveLength(200);
    expect([tasks[0]?.id, tasks[1]?.id, tasks.at(-1)?.id]).toEqual(['open', 't11', 't209']);
  });

  it('[UIP-29] that is missing, broken or strange has the tasks that can be read', async () => {
    const path = await makePath();
    expect(await readTaskStore(path)).toEqual([]);
    for (const text of ['', '{', '[]', 'null', '{"mcpTasks":{}}']) {
      await writeFile(path, text);
      expect(await readTaskStore(path), text).toEqual([]);
    }
    const tasks = [null, 1, {}, { id: '' }, { id: 'a', status: 'odd', error: 'x' }, { id: 'b', status: 'aborted' }];
    await writeFile(path, JSON.stringify({ mcpTasks: tasks }));
    expect((await readTaskStore(path)).map(({ id, status }) => [id, status])).toEqual([
      ['a', 'queued'],
      ['b', 'aborted'],
    ]);
  });
});
