/** What lies in the place of a log, of its lock, of its rotated files or of a task store, and was put there by others. */
import { execFile } from 'node:child_process';
import { chmod, chown, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPromptLog, explainWait, writeStoredTask } from 'holdfast/ui-prompts';
import { expect, it, onTestFinished } from 'vitest';
import { takeMark } from '../../src/dialects/ui-prompts/log/log-mark.ts';
import { waitForResult } from '../../src/dialects/ui-prompts/log/log-reader.ts';

const run = promisify(execFile);
const NOBODY = 65534;

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-planted-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, path: join(folder, 'state', 'ui-prompts.jsonl'), target: join(folder, 'target') };
}

/** A folder with the log's directory, which anybody may write to if asked for. */
async function openState({ isShared = false } = {}) {
  const rig = await openFolder();
  await mkdir(join(rig.folder, 'state'));
  if (isShared) await Promise.all([chmod(rig.folder, 0o755), chmod(join(rig.folder, 'state'), 0o777)]);
  return rig;
}

/** Runs a line of Node as another user of this machine. */
const runAsNobody = (code: string, ...args: string[]) =>
  run('setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, '-e', code, ...args]);

const toEntry = (requestId: string, markdown: string) => {
  const entry = { ts: '2026-01-01T00:00:00.000Z', type: 'ui_prompt', action: 'request', requestId };
  return `${JSON.stringify({ ...entry, prompt: { kind: 'result', markdown } })}\n`;
};

const publish = (path: string, text = 'mine') =>
  createPromptLog({ path, lockTimeoutMs: 300 }).publishResult({ requestId: 't-1', text });

it.each(['# start-up file\n', 'SQLite format 3\0', '{"windows":[]}\n', '[]', '{"type":"ui_prompt"}\n', '\n'])(
  '[SEC-110] a file that begins with %j is no log, and is left as it is',
  async (text) => {
    const { path } = await openState();
    await writeFile(path, `${text}${toEntry('t-0', 'x')}`);
    await expect(publish(path)).rejects.toMatchObject({
      code: 'STORE_FOREIGN',
      message: expect.stringContaining(path),
    });
    expect(await readFile(path, 'utf8')).toBe(`${text}${toEntry('t-0', 'x')}`);
  },
);

it.each(['', toEntry('t-0', 'x'), `\uFEFF${toEntry('t-0', 'x')}`, toEntry('t-0', 'x'.repeat(300_000))])(
  '[SEC-110] a file that is empty or begins with an entry is a log (%#)',
  async (text) => {
    const { path } = await openState();
    await writeFile(path, text);
    expect(await publish(path)).toBe(true);
    expect(await readFile(path, 'utf8')).toContain('mine');
  },
);

const PLANTED: Record<string, (path: string, target: string) => Promise<unknown>> = {
  'a link to a log': (path, target) => symlink(target, path),
  'a link to nothing': (path, target) => symlink(`${target}-later`, path),
  'a second name of a log': (path, target) => link(target, path),
  'a pipe': (path) => run('mkfifo', [path]),
  'a device': (path) => run('mknod', [path, 'c', '1', '3']),
  'a directory': (path) => mkdir(path),
  'a file of another user': async (path) => {
    await writeFile(path, '');
    await chown(path, NOBODY, NOBODY);
  },
};

it.each(Object.entries(PLANTED))('[SEC-111] %s in the place of a log is not written to', async (_title, plant) => {
  const { path, target, folder } = await openState();
  await writeFile(target, toEntry('t-0', 'other'));
  await plant(path, target);
  await expect(publish(path)).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
  expect(await readFile(target, 'utf8')).toBe(toEntry('t-0', 'other'));
  expect((await readdir(folder)).sort()).toEqual(['state', 'target']);
  // Nor does it hold up those who only look.
  await expect(explainWait(path, { taskId: 't-1', requestIdPrefix: '' })).resolves.toBeDefined();
  await expect(takeMark(path)).resolves.toBeDefined();
});

it('[SEC-112] another user of the machine cannot say that a result was told, nor have one written to a file of theirs', async () => {
  const { path } = await openState({ isShared: true });
  const plant = `const [, path, line] = process.argv; fs.writeFileSync(path, line, { mode: 0o666 })`;
  await runAsNobody(plant, `${path}.1`, toEntry('t-1', 'forged'));
  expect(await publish(path), 'the forged result does not count').toBe(true);
  await rm(path);
  await runAsNobody(plant, path, toEntry('t-1', 'forged'));
  await expect(publish(path)).rejects.toThrow(`it belongs to the user ${NOBODY}`);
  expect(await readFile(path, 'utf8')).not.toContain('mine');
});

it('[SEC-112] another user of the machine cannot have a log of ours opened behind a link of theirs', async () => {
  const { path, target } = await openState({ isShared: true });
  await writeFile(target, toEntry('t-0', 'other'), { mode: 0o600 });
  await runAsNobody(`const [, to, path] = process.argv; fs.symlinkSync(to, path)`, target, path);
  await expect(publish(path)).rejects.toThrow('it is a link');
  await writeStoredTask(`${target}.json`, { id: 'a', status: 'running' });
  await runAsNobody(`const [, to, path] = process.argv; fs.symlinkSync(to, path)`, `${target}.json`, `${path}.json`);
  const stored = writeStoredTask(`${path}.json`, { id: 'b', status: 'running' });
  await expect(stored).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
  expect((await lstat(`${path}.json`)).isSymbolicLink()).toBe(true);
  expect(await readFile(`${target}.json`, 'utf8')).not.toContain('"b"');
});

it.each([
  ['a pipe', (path: string) => run('mkfifo', [path])],
  ['a link', (path: string, target: string) => symlink(target, path)],
  ['a directory', (path: string) => mkdir(path)],
])('[SEC-113] %s in the place of the lock is waited for as for a lock, and no longer', async (_title, plant) => {
  const { path, target } = await openState();
  await writeFile(target, 'target');
  await plant(`${path}.lock`, target);
  await expect(publish(path)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
  expect(await readFile(target, 'utf8')).toBe('target');
});

it('[SEC-113] what lies under the names of a rotation is neither written to nor waited for', async () => {
  const { path, target } = await openState();
  await writeFile(target, 'target');
  await run('mkfifo', [`${path}.1`]);
  await symlink(target, `${path}.2`);
  await mkdir(`${path}.3`);
  await symlink(target, `${path}.next`);
  await writeFile(path, toEntry('t-0', 'x'.repeat(500)));
  const log = createPromptLog({ path, maxBytes: 600, keepMs: 1 });
  expect(await log.publishResult({ requestId: 't-1', text: 'y'.repeat(300) })).toBe(true);
  expect(await readFile(target, 'utf8')).toBe('target');
  expect((await lstat(path)).isFile()).toBe(true);
  const wait = { requestIdPrefix: '', pollIntervalMs: 200 };
  expect(await waitForResult(path, { ...wait, taskId: 't-0' })).toMatchObject({ requestId: 't-0' });
});
