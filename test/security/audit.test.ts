/** Who did it: kept with the task, and in lines that only the operator reads. */
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry, TaskContext } from 'holdfast';
import { createMemoryStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runCli } from '../cli/run-cli.ts';
import { runHere } from '../cli/run-here.ts';
import { openLightRig, type Rig, untilAborted } from '../engine/open-rig.ts';
import { openHttp, postModern, readJson } from '../server/open-http.ts';

const ask = async (_: unknown, task: TaskContext) =>
  task.ask({ message: 'Key?', schema: z.object({ key: z.string() }) });
const tools = { ask: { run: ask }, wait: { run: (_: unknown, task: TaskContext) => untilAborted(task.signal) } };
const SECRET = { action: 'accept', content: { key: 'swordfish' } } as const;
const desk = { name: 'desk', version: '2' };
const operator = userInfo().username;

const readLines = async ({ folder }: Rig): Promise<AuditEntry[]> =>
  (await readFile(join(folder, 'audit.jsonl'), 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('the events of a task', () => {
  it('[SEC-420] tell which principal and client cancelled it over HTTP', async () => {
    const rig = await openHttp();
    const verify = () => ({ issuer: 'i', subject: 'ada' });
    const url = await rig.serve({ verify });
    const called = await postModern(url, {
      method: 'tools/call',
      params: { name: 'wait', arguments: {} },
      tasks: true,
    });
    const taskId = String((await readJson(called)).result?.taskId);
    await postModern(url, { method: 'tasks/cancel', params: { taskId }, tasks: true });
    const by = { principal: '["i","ada"]', client: { name: 'raw', version: '1' } };
    const events = [];
    for await (const event of rig.tasks.watch(taskId, { principal: '["i","ada"]' })) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'cancelled', by });
  });

  it('[SEC-420] [SEC-421] tell who answered; names are cut, and `tasks show` tells it too', async () => {
    const rig = await openLightRig();
    const engine = await rig.engine(tools);
    const { taskId } = (await engine.submit('ask', {}, { principal: 'bob' })).task;
    await until(async () => (await engine.get(taskId, { principal: 'bob' })).status === 'input_required');
    const client = { name: 'n'.repeat(200_000), version: 7 as never };
    await engine.answer(taskId, { q1: SECRET }, { principal: 'bob', client });
    await engine.outcome(taskId, { principal: 'bob' });
    const events = await rig.store.tasks.events(taskId, 0, 100);
    const answered = events.find(({ type }) => type === 'answered');
    expect(answered).toMatchObject({ by: { principal: 'bob', client: { name: `${'n'.repeat(200)}…` } } });
    const shown = await runHere(['tasks', 'show', taskId, '--store', rig.path]);
    expect(shown.stdout).toContain(`answered q1: bob (${'n'.repeat(200)}…)`);
    const json = JSON.parse((await runHere(['tasks', 'show', taskId, '--store', rig.path, '--json'])).stdout);
    expect(json.acts).toMatchObject([{ what: 'answered q1', by: { principal: 'bob' } }]);
  });

  it('[SEC-422] name the operator by the name of the system, and keep it on the tombstone of what was pruned', async () => {
    const rig = await openLightRig();
    const engine = await rig.idleEngine(tools);
    const { taskId } = (await engine.submit('wait')).task;
    expect((await runCli(['tasks', 'cancel', taskId, '--store', rig.path])).code).toBe(0);
    const shown = await runHere(['tasks', 'show', taskId, '--store', rig.path]);
    expect(shown.stdout).toContain(`cancelled: operator ${operator}`);
    expect((await runHere(['tasks', 'prune', '--older-than', '0s', '--store', rig.path])).code).toBe(0);
    expect(await engine.get(taskId)).toMatchObject({ outcome: { kind: 'expired', by: { operator } } });
    const after = await runHere(['tasks', 'show', taskId, '--store', rig.path]);
    expect(after.stdout).toContain(`by operator ${operator}`);
    expect(await readdir(rig.folder)).not.toContain('audit.jsonl');
  });
});

describe('the audit', () => {
  it('[SEC-423] is a line for each act, of the operator too, without a payload, for its owner alone', async () => {
    const rig = await openLightRig();
    const engine = await rig.engine(tools, { audit: true });
    const { taskId } = (await engine.submit('ask', { pin: 'swordfish' })).task;
    const other = (await engine.submit('wait')).task.taskId;
    await until(async () => (await engine.get(taskId)).status === 'input_required');
    await engine.answer(taskId, { q1: SECRET }, { client: desk });
    await engine.cancel(other, { reason: 'evil \u001b[2J \u009b \u202e', client: desk });
    await engine.cancel(other, { reason: 'again' });
    await engine.outcome(taskId);
    await runCli(['tasks', 'prune', '--older-than', '0s', '--tombstones', '--store', rig.path]);
    const by = { principal: 'local', client: desk };
    const of = { at: expect.any(Number), principal: 'local' };
    expect(await readLines(rig)).toEqual([
      { ...of, action: 'answered', by, taskId, tool: 'ask', keys: ['q1'] },
      { ...of, action: 'cancelled', by, taskId: other, tool: 'wait', reason: 'evil \u001b[2J \u009b \u202e' },
      { at: of.at, action: 'pruned', by: { operator }, expired: 2, forgotten: 2, reason: 'older than 0s, tombstones' },
    ]);
    const path = join(rig.folder, 'audit.jsonl');
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('swordfish');
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('[SEC-424] is renamed when it is full, and only some old files are kept', async () => {
    const rig = await openLightRig();
    const path = join(rig.folder, 'audit.jsonl');
    for (let n = 1; n <= 6; n++) await writeFile(join(rig.folder, `audit.${n}.jsonl`), 'old\n');
    await writeFile(path, 'x'.repeat(10_485_760));
    const engine = await rig.idleEngine(tools, { audit: true });
    await engine.cancel((await engine.submit('wait')).task.taskId);
    const names = (await readdir(rig.folder)).filter((name) => name.startsWith('audit'));
    expect(names).toHaveLength(6);
    expect(names).toContain('audit.6.jsonl');
    expect((await stat(path)).size).toBeLessThan(1000);
  });

  it('[SEC-425] is not written through a link; work goes on, and the failure is reported', async () => {
    const rig = await openLightRig();
    await mkdir(join(rig.folder, 'other'));
    const target = join(rig.folder, 'other', 'target');
    await symlink(target, join(rig.folder, 'audit.jsonl'));
    await expect(rig.idleEngine(tools, { audit: true })).rejects.toThrow('ELOOP');
    expect(await readdir(join(rig.folder, 'other'))).toEqual([]);
  });

  it('[SEC-426] is given to a function, and one that fails hinders nothing', async () => {
    const rig = await openLightRig('memory');
    const entries: AuditEntry[] = [];
    const engine = await rig.idleEngine(tools, { audit: (entry) => void entries.push(entry) });
    await engine.cancel((await engine.submit('wait')).task.taskId);
    expect(entries).toMatchObject([{ action: 'cancelled', by: { principal: 'local' } }]);
    const failing = await rig.idleEngine(tools, {
      audit: () => {
        throw new Error('no paper');
      },
    });
    const { cancelled } = await failing.cancel((await failing.submit('wait')).task.taskId);
    expect([cancelled, rig.takeErrors().map(String)]).toEqual([true, ['Error: no paper']]);
  });

  it('[SEC-426] that cannot be kept is refused', async () => {
    const rig = await openLightRig();
    const expected = { code: 'INVALID_ARGUMENT', message: expect.stringContaining('expected') };
    await expect(rig.idleEngine(tools, { audit: true, store: createMemoryStore() })).rejects.toMatchObject(expected);
    await expect(rig.idleEngine(tools, { audit: 'yes' as never })).rejects.toMatchObject(expected);
  });

  it('[SEC-427] tells who took over a call that was left', async () => {
    const rig = await openLightRig();
    const entries: AuditEntry[] = [];
    const engine = await rig.idleEngine(tools, { audit: (entry) => void entries.push(entry) });
    const hold = { key: 'k', graceMs: 60_000 };
    const first = await engine.submit('wait', {}, { hold, client: desk });
    await first.hold?.leave();
    const second = await engine.submit('wait', {}, { hold, client: { name: 'phone' } });
    expect(second.task.taskId).toBe(first.task.taskId);
    const by = { principal: 'local', client: { name: 'phone' } };
    expect(entries).toMatchObject([{ action: 'taken-over', by, taskId: first.task.taskId }]);
    const events = await rig.store.tasks.events(first.task.taskId, 0, 10);
    expect(events.at(-1)).toMatchObject({ type: 'taken-over', by });
  });
});
