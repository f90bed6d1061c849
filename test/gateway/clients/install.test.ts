import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { recordedConfigs } from './recorded-configs.ts';

/** The home of somebody who uses every client. */
async function openHome() {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-home-')));
  onTestFinished(() => rm(home, { recursive: true }));
  for (const { file, text } of recordedConfigs) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), text, { mode: 0o600 });
  }
  const env = { HOME: home, XDG_CONFIG_HOME: '', HOLDFAST_DIR: join(home, 'state'), CODEX_HOME: undefined };
  const run = (...args: string[]) => runCli(args, env, home);
  const read = () => Promise.all(recordedConfigs.map(({ file }) => readFile(join(home, file), 'utf8')));
  return { home, run, read };
}

describe('install', () => {
  it('[GATE-309] shows the difference, keeps a backup, and is taken back byte by byte', async () => {
    const { home, run, read } = await openHome();
    const before = await read();

    const installed = await run('install', '--all', '--yes', '--command', 'npx -y holdfast');
    expect(installed).toMatchObject({ code: 0, stderr: expect.stringContaining('holdfast uninstall --all') });
    expect(installed.stdout).toContain('Cursor: ');
    expect(installed.stdout).toContain('- "command": "python",');
    expect(installed.stdout).toContain('+ "command": "npx",');
    const after = await read();
    for (const [at, text] of after.entries()) expect(text).not.toBe(before[at]);

    const backups = join(home, 'state', 'holdfast', 'calls', 'clients', 'backups');
    const kept = await Promise.all((await readdir(backups)).map((name) => readFile(join(backups, name), 'utf8')));
    expect(kept.sort()).toEqual([...before].sort());
    expect((await stat(backups)).mode & 0o077).toBe(0);

    expect(await run('uninstall', '--all', '--yes')).toMatchObject({ code: 0 });
    expect(await read()).toEqual(before);
    expect((await run('uninstall', '--all', '--yes')).stdout).toContain('No server of a client is behind the gateway.');
  });

  it('[GATE-304] [GATE-310] changes what was named, and nothing when nobody can be asked', async () => {
    const { run, read } = await openHome();
    const before = await read();
    const unasked = await run('install', 'scan');
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('say --yes') });
    expect(await read()).toEqual(before);

    expect((await run('install', 'scan', '--dry-run')).stdout).toContain('"--name", "scan"');
    expect(await read()).toEqual(before);

    expect(await run('install', 'scan', '--yes', '--json')).toMatchObject({ code: 0 });
    const changed = (await read()).map((text, at) => text !== before[at]);
    expect(recordedConfigs.filter((_, at) => changed[at]).map(({ client }) => client)).toEqual(['cursor']);
  });

  it.each([
    [['install'], 'which servers? expected: holdfast install NAME…, or --all'],
    [['install', 'nobody', '--client', 'cursor', '--yes'], 'there is no server "nobody"; known are scan'],
    [['install', '--all', '--client', 'emacs'], '--client is "emacs"; expected: claude-code'],
    [['uninstall', 'scan', '--yes'], '"scan" is not behind the gateway; there is none behind it'],
  ])('[GATE-306] says what is expected of %s', async (args, told) => {
    const { run } = await openHome();
    const { code, stderr } = await run(...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain(told);
  });
});
