import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { changeFile, readConfigText } from '../../../src/gateway/clients/change-file.ts';

async function openFile(content: string | Buffer) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-clients-')));
  onTestFinished(() => rm(dir, { recursive: true }));
  const path = join(dir, 'config.json');
  await writeFile(path, content);
  return { dir, path };
}

const add = ({ text }: { readonly text: string }) => `${text}more`;

it('[GATE-307] keeps the mode of a file, and leaves nothing beside it', async () => {
  const { dir, path } = await openFile('one ');
  await chmod(path, 0o640);
  await changeFile(path, add);
  expect(await readFile(path, 'utf8')).toBe('one more');
  expect((await stat(path)).mode & 0o777).toBe(0o640);
  expect(await readdir(dir)).toEqual(['config.json']);
});

it('[GATE-307] writes where a link leads, and the link stays one', async () => {
  const { dir, path } = await openFile('one ');
  await mkdir(join(dir, 'dotfiles'));
  const link = join(dir, 'dotfiles', 'link.json');
  await symlink('../config.json', link);
  await changeFile(link, add);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(path, 'utf8')).toBe('one more');
});

it('[GATE-307] keeps a byte order mark, and shows the text without it', async () => {
  const { path } = await openFile('\uFEFF{}');
  expect((await readConfigText(path))?.text).toBe('{}');
  await changeFile(path, ({ text }) => text.replace('{}', '{ }'));
  expect(await readFile(path)).toEqual(Buffer.from('\uFEFF{ }'));
});

it('[GATE-307] begins again with what another program wrote at the same moment', async () => {
  const { path } = await openFile('one ');
  let isFirst = true;
  await changeFile(path, async ({ text }) => {
    if (isFirst) await writeFile(path, 'theirs ');
    isFirst = false;
    return `${text}more`;
  });
  expect(await readFile(path, 'utf8')).toBe('theirs more');
});

it('[GATE-307] gives up on a file that is written without end, and leaves it', async () => {
  const { dir, path } = await openFile('one ');
  let writes = 0;
  const change = changeFile(path, async ({ text }) => {
    await writeFile(path, `theirs ${writes++}`);
    return `${text}more`;
  });
  await expect(change).rejects.toThrow('another program wrote it 5 times at the same moment; close the client');
  expect(await readFile(path, 'utf8')).toBe('theirs 4');
  expect(await readdir(dir)).toEqual(['config.json']);
});

it('[GATE-307] writes nothing where nothing changes', async () => {
  const { path } = await openFile('one');
  const before = await stat(path);
  expect(await changeFile(path, ({ text }) => text)).toBeUndefined();
  expect((await stat(path)).ino).toBe(before.ino);
});

it('[GATE-308] leaves a read-only file, and says so', async () => {
  const { path } = await openFile('one');
  await chmod(path, 0o444);
  await expect(changeFile(path, add)).rejects.toThrow(`${path} is left as it is: it is read-only`);
  expect(await readFile(path, 'utf8')).toBe('one');
});

it('[GATE-308] leaves what is not in UTF-8, and what is no file', async () => {
  const { dir, path } = await openFile(Buffer.from([0x7b, 0xff, 0x7d]));
  await expect(changeFile(path, add)).rejects.toThrow('it is not in UTF-8');
  await expect(readConfigText(dir)).rejects.toThrow('it is no file');
  expect(await readConfigText(join(dir, 'none.json'))).toBeUndefined();
});
