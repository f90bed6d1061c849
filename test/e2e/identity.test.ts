/** Entries of one program in a client's configuration that differ in what they were given. */
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { share } from '../share.ts';
import { type Entries, openEntries } from './open-entries.ts';

const STAGING = { TARGET: 'staging', API_TOKEN: 'first-secret-token' };
const PRODUCTION = { TARGET: 'production', API_TOKEN: 'first-secret-token' };
const ROTATED = { TARGET: 'staging', API_TOKEN: 'second-secret-token' };
const PATIENT = { timeoutMs: 60_000 };

/** A task whose server and worker were killed before it ended. */
async function strand(entries: Entries, env: NodeJS.ProcessEnv, { tool = 'later' } = {}): Promise<string> {
  const entry = await entries.start(env);
  const taskId = await entry.begin(tool);
  await until(async () => (await entries.store.tasks.get({ taskId }))?.status === 'working', PATIENT);
  await entry.kill();
  await entries.killWorkers();
  return taskId;
}

/** Waits until whoever serves now has taken the task from its dead worker. */
async function untilQueued(entries: Entries, taskId: string): Promise<void> {
  await until(async () => (await entries.store.tasks.get({ taskId }))?.status === 'queued', PATIENT);
}

describe('two entries with the same command and different environments', () => {
  it('[HOSTS-100] [HOSTS-101] each answer from their own, also from isolated processes and after one server was killed', async () => {
    const entries = await openEntries();
    const [staging, production] = await Promise.all([entries.start(STAGING), entries.start(PRODUCTION)]);
    expect([await staging.call('whoami'), await production.call('whoami')]).toEqual(['staging', 'production']);
    expect([await staging.call('apart'), await production.call('apart')]).toEqual(['staging', 'production']);
    const workers = (await entries.store.workers.list()).map(({ identity }) => identity);
    expect(new Set(workers).size).toBe(2);
    await staging.kill();
    // The worker of the first entry is alive and has nothing to do.
    expect(await production.call('whoami')).toBe('production');
    const again = await entries.start(STAGING);
    expect(await again.call('whoami')).toBe('staging');
    expect((await entries.store.workers.list()).map(({ identity }) => identity).sort()).toEqual(workers.sort());
    expect(again.stderr() + production.stderr()).toBe('');
  });

  it('[HOSTS-103] share a worker when they differ only in what varies by terminal, shell, host and session', async () => {
    const entries = await openEntries();
    const first = await entries.start({ ...STAGING, TERM: 'dumb', SHLVL: '1', PWD: '/', CLAUDE_CODE_SSE_PORT: '1' });
    const second = await entries.start({ ...STAGING, TERM: 'xterm', SHLVL: '7', npm_lifecycle_event: 'start' });
    expect([await first.call('whoami'), await second.call('whoami')]).toEqual(['staging', 'staging']);
    expect(await entries.store.workers.list()).toHaveLength(1);
  });
});

describe('one entry whose token was rotated', () => {
  it('[HOSTS-102] [HOSTS-104] [HOSTS-105] tells at start and in the list what it left behind, and runs it once it is asked to; no value is kept or shown', async () => {
    const entries = await openEntries();
    const taskId = await strand(entries, STAGING);
    const rotated = await entries.start(ROTATED);
    const line = await until(() => /holdfast: 1 task waits .*\n/.exec(rotated.stderr())?.[0], PATIENT);
    expect(line).toContain('1 submitted in another environment');
    expect(line).toContain(`holdfast tasks adopt --all --store ${entries.folder}`);
    const [text, json] = await Promise.all([entries.cli('list'), entries.cli('list', '--json')]);
    expect(text.stdout).toMatch(/queued .* stranded +later/);
    expect(text.stderr).toContain('holdfast tasks adopt --all');
    expect(JSON.parse(json.stdout)).toMatchObject({ taskId, stranded: 'environment' });
    await entries.go();
    expect(await entries.cli('adopt', taskId)).toMatchObject({ code: 0, stdout: `adopted ${taskId}\n`, stderr: '' });
    expect(await rotated.result(taskId)).toBe('staging');
    const events = await entries.store.tasks.events(taskId, 0, 100);
    expect(events.filter(({ type }) => type === 'adopted')).toMatchObject([{ by: { operator: expect.any(String) } }]);
    expect(rotated.stderr().split('cannot come')).toHaveLength(2);
    const listed = await entries.cli('list', '--json');
    const told = [text, json, listed].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const all = [await entries.readAll(), rotated.stderr(), ...told].join('\n');
    expect(all).toContain('identity.key');
    for (const value of ['first-secret-token', 'second-secret-token']) expect(all).not.toContain(value);
  });

  it("[HOSTS-106] takes it over at once where the tool runs in any environment, or with adopt: 'newest'", async () => {
    for (const plan of share([{ tool: { environment: 'any' } }, { server: { adopt: 'newest' } }], { every: 2 })) {
      const entries = await openEntries();
      await entries.plan(plan);
      const taskId = await strand(entries, STAGING);
      const rotated = await entries.start(ROTATED);
      await entries.go();
      expect(await rotated.result(taskId)).toBe('staging');
      const { store } = entries;
      const events = await store.tasks.events(taskId, 0, 100);
      expect(events.filter(({ type }) => type === 'adopted')).toMatchObject([{ by: { principal: 'local' } }]);
      expect(rotated.stderr()).toBe('');
    }
  });

  it('[HOSTS-107] nothing is taken from an entry that is served, whatever the tool or the server allows', async () => {
    const entries = await openEntries();
    await entries.plan({ tool: { environment: 'any' }, server: { adopt: 'newest', concurrency: 1 } });
    const staging = await entries.start(STAGING);
    const running = await staging.begin('later');
    const waiting = await staging.begin('later');
    const production = await entries.start(PRODUCTION);
    await until(async () => (await entries.store.programs.list('whoami')).length === 2, PATIENT);
    expect(await production.call('whoami')).toBe('production');
    expect(await entries.cli('adopt', waiting)).toMatchObject({ code: 1, stdout: '' });
    await entries.go();
    expect([await staging.result(running), await staging.result(waiting)]).toEqual(['staging', 'staging']);
    expect(await entries.cli('adopt', '--all')).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('other changes of a program', () => {
  it('[HOSTS-108] a changed command line is told and adopted like a changed environment, but not by the tool', async () => {
    const entries = await openEntries();
    await entries.plan({ tool: { environment: 'any' } });
    const taskId = await strand(entries, STAGING);
    const changed = await entries.start(STAGING, '--verbose');
    await untilQueued(entries, taskId);
    await until(
      () => changed.stderr().includes('1 submitted with another command line or in another directory'),
      PATIENT,
    );
    await entries.go();
    expect(await entries.cli('adopt', '--all')).toMatchObject({ code: 0, stdout: `adopted ${taskId}\n` });
    expect(await changed.result(taskId)).toBe('staging');
  });

  it('[HOSTS-109] a task whose tool was renamed is told at start and in the list, with what can be done', async () => {
    const entries = await openEntries();
    await entries.plan({ name: 'old_name', tool: { idempotent: true }, server: { concurrency: 1 } });
    const first = await entries.start(STAGING);
    const later = await first.begin('later');
    const taskId = await first.begin('old_name');
    await first.kill();
    await entries.killWorkers();
    await entries.plan({ name: 'new_name' });
    const renamed = await entries.start(STAGING);
    const line = await until(() => /holdfast: 1 task waits .*\n/.exec(renamed.stderr())?.[0], PATIENT);
    expect(line).toContain('1 of a tool that is not there any more (old_name); put the tool back, or cancel');
    expect((await entries.cli('list')).stdout).toMatch(/stranded +old_name/);
    const asked = await entries.cli('adopt', taskId);
    expect(asked).toMatchObject({ code: 1, stdout: '' });
    expect(asked.stderr).toContain('no program of the name has the tool old_name any more');
    await entries.go();
    expect(await renamed.result(later)).toBe('staging');
  });
});
