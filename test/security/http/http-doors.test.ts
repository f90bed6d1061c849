import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createMemoryStore, createServer, type ListenOptions, type ServerOptions, type Verify } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FAKE_CODEX } from '../../apps/codex/open-codex.ts';
import { runCli, startCli } from '../../cli/run-cli.ts';
import { postModern } from '../../server/open-http.ts';

const LIST = { method: 'tools/list' };
const NOBODY = { uid: 65534, gid: 65534, cwd: '/' };
const MINE = 'a token of the owner';
const TOKEN = MINE.replaceAll(' ', '-');

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-doors-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Started {
  readonly url: string;
  readonly token: string | undefined;
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Starts an app over HTTP, and reads what it prints of where it is and how it is entered. */
async function startApp(folder: string, ...args: readonly string[]): Promise<Started> {
  const child = startCli(args, { HOLDFAST_DIR: folder });
  const exit = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exit;
  };
  onTestFinished(stop);
  const lines: string[] = [];
  const count = args.includes('--no-auth') || args.includes('--json') ? 1 : 2;
  for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === count) break;
  if (args.includes('--json')) return { ...JSON.parse(lines[0] ?? ''), lines, stop };
  const token = /^Authorization: Bearer (\S+)$/.exec(lines[1] ?? '')?.[1];
  return { url: lines[0] ?? '', token, lines, stop };
}

const statusOf = async (url: string, headers: Record<string, string> = {}) =>
  (await postModern(url, { ...LIST, headers })).status;

/** What another user of the machine gets from a program of its own. */
async function runAsNobody(code: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], NOBODY);
  return stdout.trim();
}

const APPS = [
  ['demo', 'holdfast-demo', []],
  ['monitor', 'holdfast-monitor', []],
  ['codex', 'codex_app', ['--codex', FAKE_CODEX]],
] as const;

describe.each(APPS)('holdfast %s --http', (app, _, more) => {
  it('[SEC-200] prints its URL and a token, and lets in nobody without it', async () => {
    const { url, token, lines } = await startApp(await makeFolder(), app, '--http', '0', ...more);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(lines[1]).toMatch(/^Authorization: Bearer [\w-]{43}$/);
    expect(await statusOf(url)).toBe(401);
    expect(await statusOf(url, { authorization: `Bearer ${'x'.repeat(43)}` })).toBe(401);
    expect(await statusOf(url, { authorization: `Basic ${token}` })).toBe(401);
    expect(await statusOf(`${url}?token=${token}&access_token=${token}`)).toBe(401);
    expect(await statusOf(url, { authorization: `Bearer ${token}` })).toBe(200);
  });

  it.runIf(process.getuid?.() === 0)('[SEC-200] is closed to another user of the machine', async () => {
    const folder = await makeFolder();
    // Even where the directory can be entered.
    await chmod(folder, 0o755);
    const { url } = await startApp(folder, app, '--http', '0', ...more);
    const status = await runAsNobody(
      `const { status } = await fetch(${JSON.stringify(url)}, { method: 'POST', body: '{}' }); console.log(status)`,
    );
    expect(status).toBe('401');
    const file = (await promisify(execFile)('find', [folder, '-name', 'http.token'])).stdout.trim();
    const read = `import { readFileSync } from 'node:fs'; try { readFileSync(${JSON.stringify(file)}); console.log('read') } catch ({ code }) { console.log(code) }`;
    await chmod(join(file, '..'), 0o755);
    expect(await runAsNobody(read)).toBe('EACCES');
  });

  it('[SEC-202] --no-auth lets everybody in', async () => {
    const { url, token } = await startApp(await makeFolder(), app, '--http', '0', '--no-auth', ...more);
    expect(token).toBeUndefined();
    expect(await statusOf(url)).toBe(200);
  });
});

describe('the token of an app', () => {
  it('[SEC-201] is kept for restarts, in a file that only its owner can read', async () => {
    const folder = await makeFolder();
    const first = await startApp(folder, 'demo', '--http', '0', '--json');
    await first.stop();
    const second = await startApp(folder, 'demo', '--http', '0', '--json');
    expect(second.token).toBe(first.token);
    const file = join(folder, 'holdfast', 'holdfast-demo', 'http.token');
    expect((await readFile(file, 'utf8')).trim()).toBe(first.token);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('[SEC-202] --no-auth has no meaning on stdio, and says so', async () => {
    const { code, stderr } = await runCli(['demo', '--no-auth']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'holdfast: --no-auth is about HTTP; expected together with --http PORT\n',
    });
  });
});

describe('a server that nobody protected', () => {
  const make = (options: Partial<ServerOptions> = {}) => {
    const server = createServer({
      name: 'test',
      version: '1',
      store: createMemoryStore(),
      workers: 'inline',
      ...options,
    });
    onTestFinished(() => server.close());
    return server.tool('greet', { task: 'never', run: () => 'Hello!' });
  };
  const request = () => new Request('http://localhost/mcp', { headers: { host: 'localhost' } });
  const listen = async (options: Partial<ListenOptions>, of: Partial<ServerOptions> = {}) => {
    const listening = await make(of).listen({ port: 0, ...options });
    onTestFinished(() => listening.close());
    return listening;
  };

  it('[SEC-203] has no fetch, and says both ways to have one', async () => {
    await expect(make().fetch(request())).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/verify.*unprotected: true/),
    });
    expect((await make({ unprotected: true }).fetch(request())).status).toBe(400);
    expect((await make({ verify: () => undefined }).fetch(request())).status).toBe(401);
  });

  it('[SEC-204] does not listen, and says every way to do so', async () => {
    await expect(listen({})).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/token: 'random'.*verify.*unprotected: true/),
    });
    await expect(listen({ unprotected: false }, { unprotected: true })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(await statusOf((await listen({ unprotected: true })).url)).toBe(200);
  });

  const nobody: Verify = () => undefined;

  it.each([
    ['verify and token', { token: TOKEN }, { verify: nobody }],
    ['token and unprotected', { token: TOKEN, unprotected: true }, {}],
    ['verify and unprotected', { unprotected: true }, { verify: nobody }],
  ] as const)('[SEC-204] is not told two ways at once: %s', async (names, options, of) => {
    await expect(listen(options, of)).rejects.toMatchObject({ message: expect.stringContaining(`${names} are given`) });
  });

  it('[SEC-205] takes a token of its owner, and one that is random', async () => {
    const own = await listen({ token: TOKEN });
    expect(own.token).toBe(TOKEN);
    expect(await statusOf(own.url, { authorization: `bearer ${TOKEN}` })).toBe(200);
    expect(await statusOf(own.url, { authorization: `Bearer ${TOKEN}x` })).toBe(401);
    const [first, second] = [await listen({ token: 'random' }), await listen({ token: 'random' })];
    expect(first.token).toMatch(/^[\w-]{43}$/);
    expect(second.token).not.toBe(first.token);
    expect(await statusOf(first.url, { authorization: `Bearer ${second.token}` })).toBe(401);
  });

  it.each(['', 'short', MINE, 'Random\n', 7])(
    '[SEC-205] takes no token that can be guessed or not be sent: %j',
    async (token) => {
      const failure = await listen({ token: token as string }).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('token is not usable'),
      });
      if (token) expect((failure as Error).message).not.toContain(String(token));
    },
  );

  it('[SEC-205] does not serve other machines with a token alone', async () => {
    await expect(listen({ host: '0.0.0.0', token: 'random' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(listen({ host: '0.0.0.0', unprotected: true })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
