/** What an engine does about tasks that other programs of its name have left behind. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { type AuditEntry, createEngine, createMemoryStore, type EngineOptions, openSqliteStore } from 'holdfast';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { openRig, type Rig, storeKinds } from '../open-rig.ts';

const tools = { echo: { run: () => 'echo' } };
const PATIENT = { timeoutMs: 60_000 };

/** A task of a program that was served, and is not any more. */
async function leave(rig: Rig, options: Partial<EngineOptions> = {}): Promise<string> {
  const served = await rig.engine({}, { identity: 'old', ...options });
  await until(async () => (await rig.store.programs.list('test')).length > 0, PATIENT);
  await served.close();
  const submitter = await rig.idleEngine(tools, { identity: 'old', ...options });
  return (await submitter.submit('echo')).task.taskId;
}

describe.each(storeKinds)('on the %s store', (kind) => {
  it('[HOSTS-106] [HOSTS-113] what it takes over is kept in the events of the task and in the audit', async () => {
    const rig = await openRig(kind);
    const taskId = await leave(rig);
    const entries: AuditEntry[] = [];
    const audit = (entry: AuditEntry) => void entries.push(entry);
    const engine = await rig.engine(tools, { identity: 'new', adopt: 'newest', audit });
    expect(await engine.outcome(taskId)).toMatchObject({ kind: 'result', value: 'echo' });
    const by = { principal: 'local' };
    const events = await rig.store.tasks.events(taskId, 0, 100);
    expect(events).toMatchObject([
      { type: 'submitted' },
      { type: 'adopted', from: 'old', to: 'new', by },
      { type: 'claimed' },
      { type: 'ended' },
    ]);
    expect(entries).toMatchObject([{ action: 'adopted', by, taskId, tool: 'echo', principal: 'local' }]);
  });

  it('[HOSTS-107] takes nothing that another program of the name serves, nor what an engine started later is to take', async () => {
    const rig = await openRig(kind);
    const first = await rig.engine(tools, { identity: 'first', adopt: 'newest' });
    await until(async () => (await rig.store.programs.list('test')).length === 1, PATIENT);
    const busy = await rig.engine({}, { identity: 'busy' });
    await until(async () => (await rig.store.programs.list('test')).length === 2, PATIENT);
    const submitter = await rig.idleEngine(tools, { identity: 'busy' });
    const { taskId } = (await submitter.submit('echo')).task;
    const last = await rig.engine(tools, { identity: 'last', adopt: 'newest' });
    await until(async () => (await rig.store.programs.list('test')).length === 3, PATIENT);
    expect((await last.get(taskId)).identity).toBe('busy');
    await busy.close();
    expect(await first.outcome(taskId)).toMatchObject({ kind: 'result' });
    expect((await first.get(taskId)).identity).toBe('last');
  });
});

it('[HOSTS-114] an identity that is given counts alone, and no key is made for it', async () => {
  const rig = await openRig();
  const engine = await rig.engine(tools, { identity: 'mine' });
  expect(engine.identity).toBe('mine');
  expect(await readdir(rig.folder)).not.toContain('identity.key');
});

it('[HOSTS-114] without one, all engines of a process on a store have the same, also when it lives in memory', async () => {
  const rig = await openRig();
  const opened = [
    rig.store,
    rig.store,
    await openSqliteStore({ path: rig.path }),
    createMemoryStore(),
    createMemoryStore(),
  ];
  const identities: string[] = [];
  for (const store of opened) {
    const engine = await createEngine({ name: 'test', store });
    identities.push(engine.identity);
    await engine.close();
    if (store !== rig.store) await store.close();
  }
  const [one, two, three, memory, other] = identities;
  expect([two, three, other]).toEqual([one, one, memory]);
  expect(await readdir(rig.folder)).toContain('identity.key');
});

it('[HOSTS-116] tasks that an earlier version left under an identity without the environment are told as stranded', async () => {
  const rig = await openRig();
  const parts = ['test', process.argv[1] ?? '', ...process.argv.slice(2), process.cwd()];
  const identity = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
  const { taskId } = (await (await rig.idleEngine(tools, { identity })).submit('echo')).task;
  const engine = await createEngine({ name: 'test', store: rig.store, tools });
  await engine.start();
  await until(async () => (await rig.store.programs.list('test')).length === 2, PATIENT);
  const listed = await runCli(['tasks', 'list', '--store', rig.path, '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({ taskId, stranded: 'environment' });
  await engine.close();
});

it('[HOSTS-115] refuses options that are no such, and says what is expected', async () => {
  const rig = await openRig('memory');
  const engine = rig.idleEngine(tools, { adopt: 'always' as never });
  await expect(engine).rejects.toThrow(`adopt is "always"; expected 'asked' or 'newest'`);
  const tool = rig.idleEngine({ echo: { ...tools.echo, environment: 'all' as never } });
  await expect(tool).rejects.toThrow(`tool echo: environment is "all"; expected 'own' or 'any'`);
});
