/** What a client over HTTP can make the file-log contract write, and where. */
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { until } from 'holdfast/testing';
import { describe, expect, it } from 'vitest';
import { openFileLog } from './open-file-log.ts';

const toMeta = (taskId: string, uiApp: object = {}, more: object = {}) => ({ taskId, chatos: { uiApp }, ...more });

describe('a call over HTTP', () => {
  it('[SEC-100] appends to no file that it names, in the home of the owner or elsewhere', async () => {
    const rig = await openFileLog('home');
    await writeFile(join(rig.home, '.bashrc'), '# mine\n');
    const names = ['.bashrc', '.profile', 'bin/x', '../home/.bashrc', join(rig.home, '.bashrc'), '.'];
    for (const tool of ['on', 'off']) {
      for (const [index, uiPromptFile] of names.entries()) {
        const meta = toMeta(`${tool}-${index}`, { stateDir: rig.home }, { asyncTask: { uiPromptFile } });
        const { error } = await rig.call('eve', tool, { args: { text: '$(touch pwned)' }, meta });
        expect(error, `${tool} ${uiPromptFile}`).toMatchObject({ code: -32602 });
      }
    }
    expect(await rig.files()).toEqual(['home/.bashrc']);
    expect(await readFile(join(rig.home, '.bashrc'), 'utf8')).toBe('# mine\n');
  });

  it('[SEC-101] cannot make the store its log: others go on as before', async () => {
    const rig = await openFileLog();
    for (const uiPromptFile of ['tasks.db', 'tasks.db-wal', 'server.key']) {
      const meta = toMeta('x', {}, { asyncTask: { uiPromptFile } });
      const { error } = await rig.call('eve', 'on', { args: { text: 'x'.repeat(1_000_000) }, meta });
      expect(error, uiPromptFile).toMatchObject({ code: -32602 });
    }
    expect(await rig.files()).toEqual([]);
    expect((await rig.call('ada', 'on', { meta: toMeta('t-1') })).error).toBeUndefined();
    expect(await rig.untilOwnLogs(1)).toMatchObject([{ told: [{ requestId: 't-1', prompt: { markdown: 'mine' } }] }]);
  });

  it('[SEC-102] does not switch the contract on for a tool whose owner did not', async () => {
    const rig = await openFileLog('home');
    for (const asyncTask of [{}, { tools: ['off'] }, { tools: ['OFF '] }]) {
      const { error } = await rig.call('eve', 'off', { meta: toMeta('t-1', { stateDir: rig.home }, { asyncTask }) });
      // Whatever else it were answered, its host would take for an acknowledgement and wait for ever.
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('asyncTask') });
    }
    const other = await rig.call('eve', 'off', { meta: { asyncTask: { tools: ['on'] } } });
    expect(other.result?.content[0]?.text).toBe('mine');
    expect(await rig.files()).toEqual([]);
  });

  it('[SEC-103] names no directory unless the owner gave roots, and is refused before it is acknowledged', async () => {
    const rig = await openFileLog();
    for (const stateDir of [rig.home, join(rig.home, 'deep', 'er'), rig.dir, '/', '/tmp']) {
      const { error } = await rig.call('eve', 'on', { meta: toMeta('t-1', { stateDir }) });
      expect(error, stateDir).toMatchObject({ code: -32602, message: expect.stringContaining('promptRoots') });
      expect(error?.message).toContain('--state-root');
    }
    expect(await rig.files()).toEqual([]);
  });

  it('[SEC-103] stays inside the roots, also behind links', async () => {
    const rig = await openFileLog('roots/a');
    const [inside, outside] = [join(rig.dir, 'roots', 'a'), join(rig.dir, 'outside')];
    await mkdir(inside, { recursive: true });
    await mkdir(outside);
    await symlink(outside, join(inside, 'link'));
    await symlink(join(outside, 'later'), join(inside, 'dangling'));
    const odd = [`${inside}/../b`, `${inside}\0`, 'a', '..', 7, null, ['x'], {}, true];
    for (const stateDir of [join(inside, 'link'), join(inside, 'link', 'x'), join(inside, 'dangling'), ...odd]) {
      const { error } = await rig.call('eve', 'on', { meta: toMeta('t-1', { stateDir }) });
      expect(error, String(stateDir)).toMatchObject({ code: -32602 });
    }
    expect(await rig.files()).toEqual(['roots/a/dangling', 'roots/a/link']);
  });

  it('[SEC-103] stays inside the roots although a link is put in its way after it was acknowledged', async () => {
    const rig = await openFileLog('roots');
    const [stateDir, outside] = [join(rig.dir, 'roots', 'state'), join(rig.dir, 'outside')];
    await mkdir(outside);
    const meta = toMeta('t-1', { stateDir, dataDir: stateDir });
    expect((await rig.call('eve', 'on', { args: { text: 'late', gate: 'a' }, meta })).error).toBeUndefined();
    const store = join(stateDir, 'app_state.v1.json');
    await until(async () => (await readFile(store, 'utf8').catch(() => '')).includes('"running"'), {
      what: 'the work to be shown',
      timeoutMs: 60_000,
    });
    await rm(stateDir, { recursive: true });
    await symlink(outside, stateDir);
    await rig.open('a');
    await rig.call('eve', 'on', { args: { text: 'other' }, meta: toMeta('t-2') });
    await rig.untilOwnLogs(1);
    expect(await readdir(outside)).toEqual([]);
    await rm(stateDir);
    const log = join(stateDir, 'ui-prompts.jsonl');
    await until(async () => (await readFile(log, 'utf8').catch(() => '')).includes('late'), {
      what: 'the result, where it belongs',
      timeoutMs: 60_000,
    });
  });

  it('[SEC-104] gets a log of its own in a directory of its own, which no other principal shares', async () => {
    const rig = await openFileLog();
    await rig.call('eve', 'on', { args: { text: 'forged' }, meta: toMeta('same') });
    await rig.untilOwnLogs(1);
    await rig.call('ada', 'on', { args: { text: 'right' }, meta: toMeta('same') });
    const logs = await rig.untilOwnLogs(2);
    expect(logs.map(({ told }) => told.map(({ prompt }) => prompt.markdown)).sort()).toEqual([['forged'], ['right']]);
    for (const { path } of logs) {
      const [file, directory] = await Promise.all([stat(join(rig.dir, path)), stat(join(rig.dir, dirname(path)))]);
      expect([file.mode & 0o777, directory.mode & 0o777]).toEqual([0o600, 0o700]);
      expect(dirname(path), 'not beside the database').not.toBe('store');
    }
  });

  it('[SEC-104] does not meet another principal in a directory that both name', async () => {
    const rig = await openFileLog('state');
    const stateDir = join(rig.dir, 'state');
    const meta = toMeta('same', { stateDir, dataDir: stateDir });
    await rig.call('ada', 'on', { args: { text: 'right', gate: 'a' }, meta });
    const { error } = await rig.call('eve', 'on', { args: { text: 'forged' }, meta });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('stateDir') });
    const foreign = toMeta('same', { dataDir: stateDir });
    expect((await rig.call('eve', 'on', { args: { text: 'forged' }, meta: foreign })).error).toBeUndefined();
    await rig.untilOwnLogs(1);
    await rig.open('a');
    const log = join(stateDir, 'ui-prompts.jsonl');
    const isTold = async () => (await readFile(log, 'utf8').catch(() => '')).includes('right');
    await until(isTold, { what: 'the result', timeoutMs: 60_000 });
    expect(await readFile(log, 'utf8')).not.toContain('forged');
    expect(await readFile(join(stateDir, 'app_state.v1.json'), 'utf8')).not.toContain('forged');
  });

  it('[SEC-105] names neither the directory of the store nor that of its logs', async () => {
    const rig = await openFileLog('.');
    await rig.call('ada', 'on', { meta: toMeta('t-1') });
    const [log] = await rig.untilOwnLogs(1);
    const store = join(rig.dir, 'store');
    for (const stateDir of [
      store,
      join(store, 'prompts', 'x'),
      join(store, 'prompts', 'owners'),
      dirname(join(rig.dir, log?.path ?? '')),
      join(store, '..', 'store'),
    ]) {
      const { error } = await rig.call('eve', 'on', { meta: toMeta('t-1', { stateDir, dataDir: stateDir }) });
      expect(error, stateDir).toMatchObject({ code: -32602 });
    }
    expect(await rig.untilOwnLogs(1)).toEqual([log]);
  });
});
