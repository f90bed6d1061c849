/** What the operations page tells people to type, write and copy. There is no Docker here: its files are read, and their commands run without it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';
import { createHost } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { openDriver } from '../../dist/sqlite/driver.js';
import { linkPackage } from '../../scripts/install/link-package.mjs';
import { runCommand } from '../pins/run-command.ts';
import { readFences } from './fences.ts';

const TOKEN = 'a-token-of-some-length';
const LONG_MS = 240_000;

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly hostname: string;
}

async function readBlock(language: string): Promise<string> {
  const fence = (await readFences('docs/operations.md')).find((one) => one.language === language);
  return fence?.text ?? '';
}

/** A unit as sections of keys; a key may come several times. */
async function readUnit(): Promise<Map<string, string[]>> {
  const unit = new Map<string, string[]>();
  for (const line of (await readBlock('ini')).split('\n').filter((text) => text !== '' && !text.startsWith('['))) {
    const [key = '', ...value] = line.split('=');
    unit.set(key, [...(unit.get(key) ?? []), value.join('=')]);
  }
  return unit;
}

async function openSite() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-operations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await linkPackage(folder);
  await writeFile(join(folder, 'http.mjs'), await readBlock('js'));
  return folder;
}

/** Runs a command of the page where its files lie, and waits until it listens. */
async function serve([file = '', ...args]: readonly string[], folder: string, env: NodeJS.ProcessEnv) {
  const node = /^(?:\/usr\/bin\/)?node$/.test(file) ? process.execPath : file;
  const child = spawn(node, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const url = await until(() => /listening at (\S+)/.exec(said)?.[1], {
    timeoutMs: 60_000,
    what: 'the server to listen',
  });
  return {
    url: url.replace('0.0.0.0', '127.0.0.1'),
    async stop() {
      child.kill('SIGTERM');
      return (await once(child, 'exit'))[0] as number | null;
    },
  };
}

describe('the service of the operations page', () => {
  it('[FIRST-508] serves by the command of its compose file, and goes on by that of its unit', {
    timeout: LONG_MS,
  }, async () => {
    const folder = await openSite();
    const { services, volumes } = parseYaml(await readBlock('yaml'));
    const { command, environment, ...service } = services.reports as Service;
    const unit = await readUnit();
    const data = environment.HOLDFAST_DIR ?? '';
    expect(unit.get('Environment')).toEqual([`HOLDFAST_DIR=${data}`]);
    expect(service).toMatchObject({ hostname: 'reports', init: true, volumes: [`reports:${data}`] });
    expect(Object.keys(volumes)).toEqual(['reports']);

    const env = { ...environment, REPORTS_TOKEN: TOKEN, HOLDFAST_DIR: join(folder, 'data'), PORT: '0' };
    const first = await serve(command, folder, env);
    const host = await createHost({ ledger: join(folder, 'calls.db') });
    onTestFinished(() => host.close());
    const refused = host.connect('stranger', { url: first.url });
    await expect(refused).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    const headers = { authorization: `Bearer ${TOKEN}` };
    await host.connect('reports', { url: first.url, headers });
    const call = await host.call('reports', 'render_report', { pages: 6 });
    await call.sent();
    expect(await first.stop()).toBe(0);

    const port = new URL(first.url).port;
    const second = await serve(unit.get('ExecStart')?.[0]?.split(' ') ?? [], folder, { ...env, PORT: port });
    const outcome = await call.outcome();
    expect(outcome).toMatchObject({ kind: 'result', result: { content: [{ text: '6 pages rendered' }] } });
    expect(await second.stop()).toBe(0);
  });

  it('[FIRST-508] has an image that starts the same command from files that the page names', async () => {
    const { services } = parseYaml(await readBlock('yaml'));
    const image = await readBlock('dockerfile');
    expect(image).toContain(`CMD ${JSON.stringify(services.reports.command).replaceAll(',', ', ')}\n`);
    expect(image).toContain('COPY http.mjs ./');
    expect(image).toContain(services.reports.environment.HOLDFAST_DIR);
  });
});

describe('a backup of the operations page', () => {
  it('[FIRST-509] taken while the store is in use is a whole store', async () => {
    const home = await mkdtemp(join(tmpdir(), 'holdfast-backup-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const directory = join(home, '.local/state/holdfast/reports');
    const store = await openSqliteStore({ path: join(directory, 'tasks.db') });
    onTestFinished(() => store.close());
    await using engine = await createEngine({ name: 'reports', store, tools: { render: { run: () => 'done' } } });
    const made = await Promise.all(Array.from({ length: 50 }, () => engine.submit('render', {})));
    await writeFile(join(directory, 'identity.key'), 'key');
    await mkdir(join(home, 'backup'));
    const toHere = (text: string) => text.replaceAll('/backup', `${home}/backup`);
    const [sqlite3 = '', ...rest] = (await readBlock('sh')).trim().split('\n');
    // The program of that name is not on every machine; what it is told is for any SQLite.
    const [, sql = ''] = /^sqlite3 ~\/\.local\/state\/holdfast\/reports\/tasks\.db "(.*)"$/.exec(sqlite3) ?? [];
    const live = openDriver(join(directory, 'tasks.db'), { readOnly: true });
    live.exec(toHere(sql));
    live.close();
    const copied = await runCommand(['sh', '-ec', toHere(rest.join('\n'))], { env: { ...process.env, HOME: home } });
    expect(copied).toEqual({ code: 0, output: '' });
    const copy = await openSqliteStore({ path: join(home, 'backup', 'tasks.db'), create: false });
    onTestFinished(() => copy.close());
    for (const { task } of made)
      expect(await copy.tasks.get({ taskId: task.taskId })).toMatchObject({ status: 'queued' });
    expect(await readFile(join(home, 'backup', 'identity.key'), 'utf8')).toBe('key');
  });
});
