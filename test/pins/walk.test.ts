/** The way of one call through a server, as ARCHITECTURE.md draws it and as it is. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from 'holdfast/testing';
import { expect, it, onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MAX_STOPS = 25;

/** A server of plain tools that answers at once, in one process. */
const PROGRAM = `
  import { createMemoryStore, createServer } from 'holdfast';
  const server = createServer({ name: 'walk', version: '1.0.0', store: createMemoryStore(), workers: 'inline' });
  server.tool('greet', { run: () => 'hello' });
  await server.serveStdio();
  await server.close();
`;

const META = 'io.modelcontextprotocol/';
const ENVELOPE = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'walker', version: '1' },
  [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {} } },
};

interface Step {
  readonly from: string;
  readonly to: string;
  readonly isBack: boolean;
  /** Below `src`. */
  readonly files: readonly string[];
}

/** The steps of the picture; a bare name lies in the server's room of the one it goes to, or for the way back, comes from. */
async function readPicture(): Promise<Step[]> {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
  const picture = /## One call to a server\n\n```mermaid\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  return [...picture.matchAll(/^ {2}(\w+)(-?->>)(\w+): (.*)$/gm)].map(([, from = '', arrow, to = '', names = '']) => {
    const files = names.split(', ').map((name) => {
      const rooms = name.includes('/') ? [''] : [`server/${to}/`, 'server/stdio/'];
      return rooms.map((room) => `${room}${name}`).find((file) => existsSync(join(root, 'src', file))) ?? name;
    });
    return { from, to, isBack: arrow === '-->>', files };
  });
}

/** The files of ours that run anything between the bytes of a call and the bytes of its answer; the second call counts. */
async function listRan(): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-walk-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const notes = join(dir, 'notes');
  const preload = programPath('note-functions.mjs');
  const child = spawn(process.execPath, ['--import', preload, '--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NOTES: notes, HOLDFAST_DIR: dir },
  });
  const ended = once(child, 'exit');
  const answers: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => answers.push(line));
  const call = async (id: number) => {
    const params = { name: 'greet', arguments: {}, _meta: ENVELOPE };
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    await until(() => answers.length === id, { what: `answer ${id}`, timeoutMs: 60_000 });
  };
  const take = async (turn: number) => {
    child.kill('SIGUSR2');
    await until(() => existsSync(`${notes}.${turn}`), { what: `notes ${turn}`, timeoutMs: 60_000 });
    return JSON.parse(await readFile(`${notes}.${turn}`, 'utf8')) as string[];
  };
  await call(1);
  await take(1);
  await call(2);
  const ran = await take(2);
  child.stdin.end();
  await ended;
  expect(answers.at(-1)).toContain('hello');
  return ran.map((file) => `${file}.ts`);
}

it('[ROOMS-107] the picture names files that there are, and goes through each room once', async () => {
  const steps = await readPicture();
  const files = [...new Set(steps.flatMap((step) => step.files))];
  expect(files.filter((file) => !existsSync(join(root, 'src', file)))).toEqual([]);
  expect(files.length).toBeGreaterThan(15);
  expect(files.length).toBeLessThanOrEqual(MAX_STOPS);
  const inwards = steps.filter(({ isBack }) => !isBack);
  expect(inwards.map(({ from }) => from).slice(1)).toEqual(inwards.map(({ to }) => to).slice(0, -1));
  expect(new Set(inwards.map(({ to }) => to)).size).toBe(inwards.length);
});

it('[ROOMS-107] a call goes the way of the picture, and dialects that do not answer it are only asked', {
  timeout: 120_000,
}, async () => {
  const ran = await listRan();
  const drawn = (await readPicture()).flatMap(({ files }) => files);
  const ours = drawn.filter((file) => /^(server|dialects)\//.test(file));
  expect(ours.filter((file) => !ran.includes(file))).toEqual([]);
  const others = ran.filter((file) => /^dialects\/(?!shared\/|tasks-2026\/)[^/]+\//.test(file));
  // Whether a tool is one of those that a dialect adds is asked by its name.
  const asked = others.filter((file) => !/\/(server-half|companion-names)\.ts$/.test(file));
  expect(asked).toEqual([]);
});
