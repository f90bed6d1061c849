/** A state, a config or an output of Codex that somebody else has written: none of it becomes an option of Codex. */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from 'holdfast/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseCodexOptions } from '../../../src/apps/codex/codex-options.ts';
import { parseState } from '../../../src/apps/codex/state.ts';
import { openCodexSite } from '../../apps/codex/codex-site.ts';
import { type CodexRig, openCodex, toThread, untilQuiet } from '../../apps/codex/open-codex.ts';
import { runCli } from '../../cli/run-cli.ts';
import { share } from '../../share.ts';

const FLAG = '--dangerously-bypass-approvals-and-sandbox';
const LINE = { stream: false };

let rig: CodexRig;

beforeAll(async () => {
  rig = await openCodex();
  await rig.run('first', await rig.project('first'));
  await untilQuiet(rig);
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

/** Somebody writes windows into the state file. */
async function plant(windows: object[]): Promise<void> {
  const state = await rig.state();
  await writeFile(join(rig.dir, 'codex_app_state.v1.json'), JSON.stringify({ ...state, windows }));
}

describe('a planted state file', () => {
  it.each(
    share([FLAG, '-c sandbox_mode="danger-full-access"', '../../x', `${toThread(1)}\n${FLAG}`, 'thread-1'], {
      every: 3,
    }),
  )('[SEC-160] with the thread id %j gives Codex nothing', async (threadId) => {
    const workdir = await rig.project(`planted-${Buffer.from(threadId).toString('hex').slice(0, 40)}`);
    await plant([{ id: 'planted', threadId, defaultRunOptions: { workingDirectory: workdir } }]);
    const answer = await rig.run('anything', workdir);
    expect(answer.result?.content[0]?.text).toBe('did: anything');
    const [execution] = rig.executions().filter(({ cwd }) => cwd === workdir);
    expect(execution?.args).not.toContain('resume');
    expect(execution?.args.join(' ')).not.toContain(threadId);
    await untilQuiet(rig);
  });

  it('[SEC-160] with a thread of the right form has it resumed behind --, where nothing is an option', async () => {
    const workdir = await rig.project('known-thread');
    await plant([{ id: 'planted', threadId: toThread(7), defaultRunOptions: { workingDirectory: workdir } }]);
    await rig.run('anything', workdir);
    const [execution] = rig.executions().filter(({ cwd }) => cwd === workdir);
    expect(execution?.args.slice(-3)).toEqual(['resume', '--', toThread(7)]);
    await untilQuiet(rig);
  });

  it('[SEC-161] does not say where, or how, Codex is run', async () => {
    const workdir = await rig.project('steered');
    const options = { workingDirectory: workdir, sandboxMode: 'danger-full-access', model: FLAG };
    await plant([
      {
        id: 'steered',
        threadId: '',
        defaultRunOptions: options,
        lastRunOptions: { ...options, workingDirectory: '/' },
      },
      { id: '/etc', name: 'etc', defaultRunOptions: { workingDirectory: '/etc' } },
    ]);
    await rig.run('anything', workdir);
    expect((await rig.run('silent!', '/etc')).error?.message).toContain('--root');
    const [execution] = rig.executions().filter(({ args }) => args.join(' ').includes('danger') || args.includes(FLAG));
    expect(execution).toBeUndefined();
    expect(rig.executions().at(-1)?.cwd).toBe(workdir);
    await untilQuiet(rig);
  });

  it.each(share(['__proto__', 'constructor', 'toString', '-x', 'a/../../b', 'x'.repeat(500)], { every: 4 }))(
    '[SEC-162] with a window called %s breaks nothing',
    async (id) => {
      const workdir = await rig.project(`named-${Buffer.from(id).toString('hex').slice(0, 40)}`);
      await plant([{ id, threadId: '', defaultRunOptions: { workingDirectory: workdir } }]);
      const answer = await rig.run('anything', workdir);
      expect(answer.result?.content[0]?.text).toBe('did: anything');
      const { mcpTasks, windowLogs } = await untilQuiet(rig);
      const windowId = mcpTasks.at(-1)?.windowId ?? '';
      expect(windowId).toMatch(/^(win_[0-9a-f]{16}|constructor|toString)$/);
      expect(windowLogs[windowId]?.events.length).toBeGreaterThan(0);
      expect(rig.takeErrors()).toEqual([]);
    },
  );

  it('[SEC-162] with fields of wrong types is read, and what is wrong left out', () => {
    const task = { id: 't', status: 'running', input: 7, windowId: {}, runId: ['x'], resultText: null };
    const run = { id: 'r', status: 'running', lastSeq: '1e999' };
    const text = JSON.stringify({ mcpTasks: [task, 4], runs: [run], windowLogs: { a: 1 } });
    const state = parseState(text.replace('"1e999"', '1e999'));
    expect(state.mcpTasks).toMatchObject([{ id: 't', input: '', windowId: '', runId: '', resultText: '' }]);
    expect(state.runs).toMatchObject([{ id: 'r', lastSeq: 0 }]);
    expect(Object.keys(state.windowLogs)).toEqual([]);
  });
});

describe('what Codex says', () => {
  it('[SEC-163] is no thread unless it is a UUID: nothing of it comes back as an option', async () => {
    const workdir = await rig.project('misled');
    await rig.run('misleads!', workdir);
    await rig.run('again', workdir);
    const runs = rig.executions().filter(({ cwd }) => cwd === workdir);
    expect(runs).toHaveLength(2);
    for (const { args } of runs) expect(args).not.toContain(FLAG);
    await untilQuiet(rig);
  });
});

describe('a config', () => {
  it('[SEC-164] gives no option for a value, and no path that depends on a call', async () => {
    const parse = (options: object) => () => parseCodexOptions(options);
    for (const model of [FLAG, '-c', 'a b', 'x'.repeat(300), '']) {
      expect(parse({ model }), model).toThrow('model is ');
    }
    for (const path of ['..', '-x', '~/x', '', '/a\0b']) {
      expect(parse({ additionalDirectories: [path] }), path).toThrow('expected a list of absolute paths');
      expect(parse({ roots: [path] }), path).toThrow('expected a list of absolute paths');
    }
    const { code, stderr } = await runCli(['codex', `--model=${FLAG}`], { HOLDFAST_DIR: rig.dir });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('expected the name of a model') });
  });
});

describe('what decides how Codex is run', () => {
  it('[SEC-154] lies where no run can work: the store, the state, the config and the home of Codex', async () => {
    const site = await openCodexSite();
    const config = join(site.dir, 'conf', 'codex.json');
    const places = ['conf', 'state/data', 'state/data/below', '.codex', '.codex/sessions', 'holdfast/holdfast'];
    for (const place of places) await mkdir(join(site.dir, place), { recursive: true });
    await writeFile(config, '{}');
    await symlink(site.dir, join(site.project, 'way'));
    const dataDir = join(site.dir, 'state', 'data');
    const server = await site.start('--root', site.dir, '--data-dir', dataDir, '--config', config);
    const inside = [...places, '', 'state', 'project/way', 'project/way/conf'];
    for (const place of inside) {
      const { error } = await server.run('anything', { workdir: join(site.dir, place), ...LINE });
      expect(error?.message, place).toContain('keep for themselves');
    }
    expect(site.executions()).toEqual([]);
    const { result } = await server.run('anything', { workdir: site.project, ...LINE });
    expect(result).toMatchObject({ content: [{ text: 'did: anything' }] });
  });

  it('[SEC-152] makes a directory too broad to be a root by itself: a server started at home has to be told', async () => {
    const site = await openCodexSite();
    const server = await site.startIn(site.dir);
    for (const workdir of [site.dir, site.project]) {
      const { error } = await server.run('anything', { workdir, ...LINE });
      expect(error?.message, workdir).toContain('--root');
    }
    expect((await server.run('anything', LINE)).error?.message).toContain('--root');
    expect(site.executions()).toEqual([]);
  });

  it('[SEC-154] is not taken from a data directory that a run can write', async () => {
    const site = await openCodexSite();
    const [shared, config] = [join(site.dir, 'shared'), join(site.dir, 'codex.json')];
    await writeFile(config, JSON.stringify({ additionalDirectories: [shared] }));
    const server = await site.start('--config', config);
    const planted = { id: 'w', threadId: toThread(9), defaultRunOptions: { workingDirectory: site.project } };
    for (const [at, dataDir] of [join(site.project, 'data'), shared, join(shared, 'below'), site.project].entries()) {
      await mkdir(dataDir, { recursive: true });
      await writeFile(join(dataDir, 'codex_app_state.v1.json'), JSON.stringify({ version: 1, windows: [planted] }));
      const uiApp = { projectRoot: site.project, stateDir: join(site.dir, 'state'), dataDir };
      await server.run('anything', { chatos: { uiApp }, taskId: `t${at}` });
      await until(async () => (await site.prompts()).length === at + 1, { what: 'the result', timeoutMs: 60_000 });
    }
    expect(site.executions().filter(({ args }) => args.includes(toThread(9)))).toEqual([]);
    expect(site.executions()).toHaveLength(4);
  });

  it('[SEC-155] is no part of what every run may write to, and no link in a root says what that is', async () => {
    const site = await openCodexSite();
    const [config, link] = [join(site.dir, 'codex.json'), join(site.project, 'link')];
    await symlink(join(site.dir, 'state'), link);
    const start = async (options: object) => {
      await writeFile(config, JSON.stringify(options));
      return runCli(['codex', '--config', config], site.env, site.project);
    };
    const held = await start({ additionalDirectories: [join(site.dir, 'holdfast')] });
    expect(held).toMatchObject({ code: 2, stderr: expect.stringContaining('additionalDirectories has') });
    for (const options of [{ additionalDirectories: [link] }, { roots: [link] }]) {
      expect(await start(options)).toMatchObject({ code: 2, stderr: expect.stringContaining('a link that runs can') });
    }
    expect(await start({ roots: [join(site.dir, 'none')] })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist; expected a directory'),
    });
  });

  it('[SEC-155] stays out of reach when a directory that every run may write to becomes a link', async () => {
    const site = await openCodexSite();
    const [config, shared] = [join(site.dir, 'codex.json'), join(site.project, 'shared')];
    await mkdir(shared);
    await writeFile(config, JSON.stringify({ additionalDirectories: [shared] }));
    const server = await site.start('--config', config);
    expect(await server.run('anything', LINE)).toMatchObject({ result: { content: [{ text: 'did: anything' }] } });
    await rename(shared, join(site.project, 'moved'));
    await symlink(site.dir, shared);
    expect((await server.run('anything', LINE)).error?.message).toContain('was replaced by another');
    expect(site.executions()).toHaveLength(1);
  });

  it('[SEC-157] does not lie where another user of the machine can write', async () => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-codex-other-')));
    onTestFinished(() => rm(dir, { recursive: true }));
    const [theirs, open] = [join(dir, 'theirs'), join(dir, 'open')];
    await Promise.all([theirs, open].map((path) => mkdir(path)));
    await chmod(open, 0o777);
    const cases = [[open, 'can be written by everybody']];
    if (process.getuid?.() === 0) {
      await chown(theirs, 65_534, 65_534);
      cases.push([theirs, 'belongs to another user']);
    }
    for (const [dataDir = '', why = ''] of cases) {
      const { code, stderr } = await runCli(['codex', '--data-dir', dataDir], { HOLDFAST_DIR: join(dir, 'store') });
      expect({ code, stderr }).toEqual({ code: 77, stderr: expect.stringContaining(why) });
      const config = join(dataDir, 'codex.json');
      await writeFile(config, '{"sandboxMode": "danger-full-access"}');
      const { mode, uid, gid } = await stat(dataDir);
      await chmod(config, mode);
      await chown(config, uid, gid);
      const obeyed = await runCli(['codex', '--config', config], { HOLDFAST_DIR: join(dir, 'store') });
      expect(obeyed).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    }
  });

  it('[SEC-546] nor does the store, in which others would make runs of their own', async () => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-codex-other-')));
    onTestFinished(() => rm(dir, { recursive: true }));
    const [base, dataDir] = [join(dir, 'base'), join(dir, 'data')];
    const folder = join(base, 'holdfast', 'codex_app');
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    const refused = await runCli(['codex', '--data-dir', dataDir], { HOLDFAST_DIR: base });
    expect(refused).toMatchObject({ code: 77, stderr: expect.stringContaining('can be written by everybody') });
  });

  it('[SEC-546] a pipe in the place of a config is no config, and holds up nobody', async () => {
    const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-codex-other-')));
    onTestFinished(() => rm(dir, { recursive: true }));
    const config = join(dir, 'codex.json');
    execFileSync('mkfifo', [config]);
    const refused = await runCli(['codex', '--config', config], { HOLDFAST_DIR: join(dir, 'store') });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read (no plain file)') });
  });
});
