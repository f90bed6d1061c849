/** Who can use a keeper, and what can be seen of it. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { openKept, openKeptHttp } from '../../host/keeper/open-kept.ts';

const SECRET = 'sk-kept-secret-1';

async function openKeeper() {
  const desk = await openKept();
  vi.stubEnv('OTHER_SECRET', SECRET);
  const host = await desk.host();
  const spec = desk.command('handmade-server', desk.dir);
  await host.connect('made', { ...spec, env: { OWN_SECRET: SECRET } });
  vi.unstubAllEnvs();
  const directory = join(dirname(desk.ledger), 'keepers');
  const names = readdirSync(directory);
  const [note = ''] = names.filter((name) => name.endsWith('.json'));
  return { desk, host, directory, names, note: JSON.parse(readFileSync(join(directory, note), 'utf8')) };
}

it('[FIRST-150] a keeper lies in a directory and on a socket of its user alone', async () => {
  const { directory, names } = await openKeeper();
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const name of names) expect([name, statSync(join(directory, name)).mode & 0o077]).toEqual([name, 0]);
});

it('[FIRST-151] whoever does not know its token gets no word of it, and is shut out', async () => {
  const { note } = await openKeeper();
  const wrong = `C${JSON.stringify({ word: 'hello', token: 'f'.repeat(note.token.length) })}\n`;
  for (const words of [
    wrong,
    'M{"id":1,"method":"tools/list"}\nC{"word":"join","callId":"x"}\n',
    'C{"word":"bye"}\n',
  ]) {
    const socket = connect(note.socket);
    socket.write(words);
    expect(await text(socket)).toBe('');
  }
});

it.runIf(process.platform === 'linux')(
  "[FIRST-152] its command line names no secret, and its environment has nothing of the server's own",
  async () => {
    const { note } = await openKeeper();
    const read = (file: string) => readFileSync(`/proc/${note.process.pid}/${file}`, 'utf8');
    expect(read('cmdline')).not.toContain(SECRET);
    expect(read('cmdline')).not.toContain(note.token);
    for (const name of ['OTHER_SECRET', 'OWN_SECRET']) expect(read('environ')).not.toContain(name);
    expect(read('environ')).not.toContain('HOLDFAST_CHILD');
  },
);

it('[FIRST-153] a place that is not its own is not used: the server is run without a keeper, and that is told', async () => {
  const desk = await openKept();
  mkdirSync(join(desk.dir, 'theirs'));
  mkdirSync(dirname(desk.ledger), { recursive: true });
  symlinkSync(join(desk.dir, 'theirs'), join(dirname(desk.ledger), 'keepers'));
  const { host } = await desk.next();
  expect(await host.request('made', 'ping')).toMatchObject({ kind: 'result' });
  expect(desk.errors).toMatchObject([{ code: 'STORE_NO_ACCESS' }]);
  expect(readdirSync(join(desk.dir, 'theirs'))).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  '[FIRST-159] headers and URL are in no file of a keeper, nor in its command line or environment',
  async () => {
    const desk = await openKeptHttp('newer');
    const { host } = await desk.next();
    const call = await host.call('made', 'hold', { gate: 'a' });
    await desk.untilNoted('hold a');
    const directory = join(dirname(desk.ledger), 'keepers');
    const names = readdirSync(directory).filter((name) => !name.endsWith('.sock'));
    const pid = desk.keepers()[0]?.pid;
    const files = [...names.map((name) => join(directory, name)), `/proc/${pid}/cmdline`, `/proc/${pid}/environ`];
    for (const file of files) {
      const said = readFileSync(file, 'utf8');
      expect([file, said.includes('sk-kept'), said.includes(desk.spec.url)]).toEqual([file, false, false]);
    }
    await desk.open('a');
    expect(await call.outcome()).toMatchObject({ kind: 'result' });
  },
);
