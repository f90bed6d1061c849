/** A monitor of a user who may not read what it was told to sync. */
import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openScene, type Scene, texts } from '../../apps/monitor/open-scene.ts';
import { builtPath } from '../../programs/program-path.js';

const MAIN = builtPath('cli/main.js');
// Root may read everything, so it runs the monitor as somebody else; anybody else is refused as who they are.
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Runs the sync as a user without rights; returns what it printed and how it ended. */
function syncAsUser({ folder }: Scene, path: string): Promise<{ code: number; answer: ReturnType<typeof JSON.parse> }> {
  const args = [
    MAIN,
    'monitor',
    'sync',
    path,
    '-r',
    '--json',
    '--db',
    join(folder, 'u.db'),
    '--config',
    '/nowhere.json',
  ];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { ...USER, cwd: '/' }, (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr, { cause: error }));
      else resolve({ code: Number(error?.code ?? 0), answer: JSON.parse(stdout) });
    });
  });
}

async function openClosed(files: Readonly<Record<string, string>>, modes: Readonly<Record<string, number>>) {
  const scene = await openScene(files);
  await chmod(scene.folder, 0o777);
  const close = async () => {
    for (const [name, mode] of Object.entries(modes)) await chmod(scene.at(name), mode);
  };
  onTestFinished(async () => {
    for (const name of Object.keys(modes)) await chmod(scene.at(name), 0o755);
  });
  return { scene, close };
}

const denied = (path: string) => ({ type: 'error', text: 'Failed to sync: Permission denied', details: path });

it('[SEC-383] a directory that may not be read is a failure that names it, not a sync of 0 files', async () => {
  const { scene, close } = await openClosed({ 'closed/a.txt': 'a' }, { closed: 0o000 });
  await close();
  const path = scene.at('closed');
  const { code, answer } = await syncAsUser(scene, path);
  expect(code).toBe(1);
  expect(answer).toEqual({ success: false, data: {}, messages: [denied(path)] });
});

it('[SEC-383] what lies behind a directory that may not be entered is a failure too', async () => {
  const { scene, close } = await openClosed({ 'closed/in/a.txt': 'a' }, { closed: 0o600 });
  await close();
  for (const path of [scene.at('closed/in'), scene.at('closed/in/a.txt')]) {
    expect(await syncAsUser(scene, path)).toEqual({
      code: 1,
      answer: { success: false, data: {}, messages: [denied(path)] },
    });
  }
});

it('[SEC-383] a file that may not be read, and a directory of such files, are failures that name each', async () => {
  const files = { 'all/a.txt': 'a', 'all/b.txt': 'b' };
  const { scene, close } = await openClosed(files, { 'all/a.txt': 0o000, 'all/b.txt': 0o000 });
  await close();
  const one = await syncAsUser(scene, scene.at('all/a.txt'));
  expect(one).toMatchObject({ code: 1, answer: { success: false, data: {} } });
  expect(one.answer.messages[0]).toEqual(denied(scene.at('all/a.txt')));
  const { code, answer } = await syncAsUser(scene, scene.at('all'));
  expect({ code, success: answer.success, data: answer.data }).toEqual({ code: 1, success: false, data: {} });
  expect(answer.messages[0]).toEqual(denied(scene.at('all')));
  expect(texts(answer, 'warning').toSorted()).toEqual([
    `${scene.at('all/a.txt')}: cannot be read (EACCES)`,
    `${scene.at('all/b.txt')}: cannot be read (EACCES)`,
  ]);
});

it('[SEC-384] what could not be read of a tree is counted and named, and what was known of it stays', async () => {
  const files = { 'a.txt': 'a', 'secret.txt': 's', 'closed/b.txt': 'b' };
  const { scene, close } = await openClosed(files, { 'secret.txt': 0o000, closed: 0o000 });
  expect((await syncAsUser(scene, scene.tree)).answer).toMatchObject({ success: true, data: { files_updated: 3 } });
  await close();
  const { code, answer } = await syncAsUser(scene, scene.tree);
  expect(code).toBe(0);
  // Its size and time can still be seen, and are as before.
  expect(answer.data).toMatchObject({ files_processed: 2, files_removed: 0, directories_unreadable: 1 });
  expect(texts(answer, 'warning')).toEqual([
    `${scene.at('closed')}: the directory cannot be read (EACCES); what is known of it stays`,
  ]);
  expect(texts(answer, 'success')).toEqual(['Sync completed without 1 directory that could not be read']);
  const failed = await syncAsUser(scene, scene.at('closed'));
  expect(failed.answer).toMatchObject({ success: false });
  await chmod(scene.at('closed'), 0o755);
  await chmod(scene.at('secret.txt'), 0o644);
  expect((await syncAsUser(scene, scene.tree)).answer.data).toMatchObject({ files_unchanged: 3, files_removed: 0 });
});

it('[SEC-383] a tree of which nothing may be read is a failure that names what it met', async () => {
  const { scene, close } = await openClosed(
    { 'top/one/a.txt': 'a', 'top/two/b.txt': 'b' },
    { 'top/one': 0, 'top/two': 0 },
  );
  await close();
  const { code, answer } = await syncAsUser(scene, scene.at('top'));
  expect({ code, success: answer.success }).toEqual({ code: 1, success: false });
  expect(answer.messages[0]).toEqual(denied(scene.at('top')));
  expect(texts(answer, 'warning')).toHaveLength(2);
});

it('[SEC-383] a missing path is named in details', async () => {
  const scene = await openScene();
  await chmod(scene.folder, 0o777);
  const path = scene.at('nowhere');
  const text = `${path} does not exist, and nothing is known of it`;
  const messages = [{ type: 'error', text, details: path }];
  expect(await syncAsUser(scene, path)).toEqual({ code: 1, answer: { success: false, data: {}, messages } });
});
