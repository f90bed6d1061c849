/** Files of a stranger, in a directory where the command line is run. */
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost } from 'holdfast/host';
import { describe, expect, it } from 'vitest';
import { share } from '../../share.ts';
import { DEMO, openProject, type Project } from './open-project.ts';

const STRANGER = 1001;

const refusal = (text: string) => ({ code: 77, stdout: '', stderr: expect.stringContaining(text) });

describe.runIf(process.getuid?.() === 0)('a file of another user', () => {
  const STRANGE: readonly [string, (project: Project) => Promise<unknown>][] = [
    ['belongs to another user (uid 1001)', ({ base }) => chown(join(base, 'outer', '.mcp.json'), STRANGER, STRANGER)],
    ['belongs to another user (uid 1001)', ({ base }) => chown(join(base, 'outer'), STRANGER, STRANGER)],
    ['can be written by other users', ({ base }) => chmod(join(base, 'outer', '.mcp.json'), 0o666)],
    ['can be written by other users', ({ base }) => chmod(join(base, 'outer'), 0o777)],
    [
      'can be written by other users',
      ({ base }) => chown(join(base, 'outer'), 0, 50).then(() => chmod(join(base, 'outer'), 0o775)),
    ],
    [
      'belongs to another user (uid 1001)',
      async ({ base }) => {
        await mkdir(join(base, 'theirs'));
        await rename(join(base, 'outer', '.mcp.json'), join(base, 'theirs', 'own.json'));
        await chown(join(base, 'theirs'), STRANGER, STRANGER);
        await symlink(join(base, 'theirs', 'own.json'), join(base, 'outer', '.mcp.json'));
      },
    ],
  ];

  const COMMANDS = {
    'a call': ['call', 'greet', '--server', 'demo', '--trust'],
    resume: ['calls', 'resume', '--trust'],
  };
  // In turns, so that of every second case each file is one, and both commands are.
  const CASES = STRANGE.flatMap(([text, make], index) => {
    const commands = Object.entries(COMMANDS).map(([by, command]) => ({ text, make, by, command }));
    return index % 2 === 0 ? commands : commands.reverse();
  });

  it.each(share(CASES, { every: 2 }))(
    '[SEC-300] [SEC-301] in a directory above is not run by $by: $text',
    async ({ text, make, command }) => {
      const project = await openProject();
      await project.write('../.mcp.json', { demo: project.harm });
      await project.plant({});
      await make(project);
      expect(await project.run(...command)).toMatchObject(refusal(text));
      expect(project.isHarmed).toBe(false);
    },
  );

  it('[SEC-301] does not keep the user from a server of their own further up, and its directory ends the search', async () => {
    const project = await openProject();
    await project.write('.mcp.json', { demo: project.harm });
    await chown(join(project.dir, '.mcp.json'), STRANGER, STRANGER);
    await project.write('../.mcp.json', { demo: DEMO });
    const own = await project.run('call', 'greet', '{"name":"Ada"}', '--server', 'demo', '--trust');
    expect(own).toMatchObject({ code: 0, stdout: 'Hello, Ada!\n' });
    await chown(project.dir, STRANGER, STRANGER);
    expect(await project.run('call', 'greet', '--server', 'demo')).toMatchObject({ code: 77 });
    expect(project.isHarmed).toBe(false);
  });

  it('[SEC-301] that is a pipe is not waited for, and a ledger or a plugin of another user is refused too', async () => {
    const project = await openProject();
    execFileSync('mkfifo', [join(project.dir, '.mcp.json')]);
    const pipe = await project.run('call', 'greet', '--server', 'demo');
    expect(pipe).toMatchObject({ code: 2, stderr: expect.stringContaining('is no file of at most') });
    const ledger = join(project.base, 'theirs.db');
    const origin = { path: 'typed', name: 'x', spec: { ...project.harm }, passEnv: [], hash: '' };
    await project.plant({ origin }, ledger);
    await chown(ledger, STRANGER, STRANGER);
    expect(await project.run('calls', 'resume', '--ledger', ledger, '--trust')).toMatchObject(refusal('the ledger'));
    const mcp = { command: project.harm.command, entry: 'x', args: project.harm.args };
    await project.write('plugin/plugin.json', JSON.stringify({ id: 'p', apps: [{ id: 'a', ai: { mcp } }] }));
    await chown(join(project.dir, 'plugin'), STRANGER, STRANGER);
    expect(await project.run('call', 't', '--plugin', 'plugin', '--trust')).toMatchObject(refusal('plugin.json'));
    expect(project.isHarmed).toBe(false);
  });

  const RESUME = ['calls', 'resume'];
  const EXPLAIN = ['prompts', 'explain', 'x'];
  // In turns as well: of every second command each end is tried, and both commands are.
  const ENDS: readonly [string, readonly string[][]][] = [
    ['-wal', [RESUME, EXPLAIN]],
    ['-journal', [EXPLAIN, RESUME]],
    ['-shm', [RESUME, EXPLAIN]],
  ];

  it.each(ENDS)('[SEC-527] that lies beside a ledger of our own is refused too: %s', async (end, commands) => {
    const project = await openProject();
    const shared = join(project.base, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o1777);
    const ledger = join(shared, 'calls.db');
    // On Node 20 a closed connection of this process may still remove the log of the name it was opened under.
    await project.plant({}, join(shared, 'draft.db'));
    await rename(join(shared, 'draft.db'), ledger);
    await writeFile(`${ledger}${end}`, '');
    await chown(`${ledger}${end}`, STRANGER, STRANGER);
    for (const argv of share(commands, { every: 2 })) {
      expect(await project.run(...argv, '--ledger', ledger)).toMatchObject(refusal(`calls.db${end} belongs to`));
    }
  });
});

it('[SEC-525] a pipe in the place of a plugin is not waited for, whatever is asked of it', async () => {
  const project = await openProject();
  execFileSync('mkfifo', [join(project.dir, 'plugin.json')]);
  const listed = await project.run('prompts', 'list', '--plugin', '.');
  expect(listed).toMatchObject({ code: 2, stderr: expect.stringContaining('is no plain file') });
  await using host = await createHost({ stateDir: project.base });
  await expect(host.connect('x', { pluginDir: project.dir })).rejects.toThrow('is no plain file');
});

it('[SEC-529] who is asked about a plugin is shown what it would run', async () => {
  const project = await openProject();
  const mcp = { command: project.harm.command, entry: 'x', args: ['a server of its own'] };
  await project.write('plugin.json', JSON.stringify({ id: 'p', apps: [{ id: 'a', ai: { mcp } }] }));
  const spec = { pluginDir: project.dir, projectRoot: project.dir };
  const origin = { path: join(project.dir, 'plugin.json'), name: 'p', spec, passEnv: [], hash: 'f'.repeat(64) };
  await project.plant({ server: 'p', origin });
  const asked = await project.run('calls', 'resume');
  expect(asked).toMatchObject({ code: 77, stderr: expect.stringContaining('a server of its own') });
});

it('[SEC-302] a project file is run only when the user has said so, for that server as it stood', async () => {
  const project = await openProject();
  const path = await project.write('.mcp.json', { demo: DEMO, other: project.harm });
  const greet = ['call', 'greet', '{"name":"Ada"}', '--server', 'demo'];
  const unseen = await project.run(...greet, '--json');
  expect(unseen.code).toBe(77);
  const message = `server "demo" of ${path} has not been seen before, and nobody can be asked; it would run: ${process.execPath}`;
  expect(JSON.parse(unseen.stderr)).toMatchObject({
    code: 'UNTRUSTED_CONFIG',
    message: expect.stringContaining(message),
  });
  expect(await project.run(...greet, '--trust')).toMatchObject({ code: 0, stdout: 'Hello, Ada!\n' });
  expect(await project.run(...greet)).toMatchObject({ code: 0 });
  expect(await project.run('call', 'greet', '--server', 'other')).toMatchObject({ code: 77 });
  await project.write('.mcp.json', { demo: project.harm });
  expect(await project.run(...greet)).toMatchObject({ code: 77 });
  await project.write('.mcp.json', { demo: { ...DEMO, env: { NODE_OPTIONS: '--require ./harm.js' } } });
  expect(await project.run(...greet)).toMatchObject({ code: 77 });
  expect(project.isHarmed).toBe(false);
  const { mode } = await stat(join(project.base, 'state', 'holdfast', 'calls', 'trusted.json'));
  expect(mode & 0o777).toBe(0o600);
});

it('[SEC-305] a ledger that says what nobody has said yes to is not run', async () => {
  const project = await openProject();
  const typed = { path: 'typed', name: 'x', passEnv: [], hash: 'f'.repeat(64) };
  await project.plant({ server: 'forged', origin: { ...typed, spec: { ...project.harm, cwd: project.dir } } });
  await project.plant({ server: `command:${JSON.stringify([project.harm.command, ...project.harm.args])}` });
  await project.run('call', 'greet', '{"name":"Ada"}', '--', DEMO.command, ...DEMO.args);
  // The hash of a command that was approved, beside another command.
  const book = JSON.parse(await readFile(join(project.base, 'state', 'holdfast', 'calls', 'trusted.json'), 'utf8'));
  const spec = { ...project.harm, cwd: project.dir };
  await project.plant({ server: 'borrowed', origin: { ...typed, hash: book.typed[0], spec } });
  expect(await project.run('calls', 'resume')).toMatchObject({
    stderr: expect.stringContaining('calls that stay pending: 3'),
  });
  expect(project.isHarmed).toBe(false);
});
