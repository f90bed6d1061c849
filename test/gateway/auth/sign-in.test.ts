import { mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aesGcmCodec } from 'holdfast';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { PayloadCodec } from '../../../src/codec/codec.ts';
import { createAuthorizedFetch } from '../../../src/gateway/auth/authorized-fetch.ts';
import { signIn } from '../../../src/gateway/auth/sign-in.ts';
import { SignInFile } from '../../../src/gateway/auth/sign-in-file.ts';
import { openAuthServer } from './open-auth-server.ts';

async function openDesk(codec?: PayloadCodec) {
  const server = await openAuthServer();
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-auth-')));
  onTestFinished(() => rm(directory, { recursive: true }));
  const open = () => new SignInFile({ directory, url: server.url, codec });
  const file = open();
  /** A process of its own would know no more than the file. */
  const connect = (clock = systemClock) => createAuthorizedFetch({ name: 'far', file: open(), clock, fetch });
  // The person in front of the browser.
  const browse = async (url: URL) => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
  };
  const say = async (connection: ReturnType<typeof connect>, body = 'hello') => {
    const response = await connection(server.url, { method: 'POST', body });
    return response.json() as Promise<{ heard?: string }>;
  };
  return { server, directory, file, connect, say, signIn: () => signIn({ file, open: browse }) };
}

describe('signing in', () => {
  it('[GATE-320] registers, sends a person to the page, and keeps what comes back for the user alone', async () => {
    const { server, directory, connect, say, signIn: start } = await openDesk();
    await start();
    expect(server.seen).toEqual(['/register', '/authorize', '/token']);
    expect(await say(connect())).toEqual({ heard: 'hello' });
    const [name = ''] = await readdir(directory);
    expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
  });

  it('[GATE-320] keeps nothing that can be read without the key, where there is one', async () => {
    const codec = aesGcmCodec({ keys: [{ id: 'one', key: Buffer.alloc(32, 1) }] });
    const { directory, file, connect, say, signIn: start } = await openDesk(codec);
    await start();
    const [name = ''] = await readdir(directory);
    const token = (await file.read()).tokens?.access_token;
    expect(token).toMatch(/^[0-9a-f-]{36}$/);
    expect(await readFile(join(directory, name), 'utf8')).not.toContain(token);
    expect(await say(connect())).toEqual({ heard: 'hello' });
  });

  it('[GATE-321] that is refused says what the server said', async () => {
    const { server, signIn: start } = await openDesk();
    server.denies = true;
    await expect(start()).rejects.toMatchObject({
      code: 'SIGN_IN_FAILED',
      message: expect.stringContaining('access_denied'),
    });
  });

  it('[GATE-321] that was given up ends, and so does its port', async () => {
    const { file } = await openDesk();
    const control = new AbortController();
    const start = signIn({ file, open: () => control.abort(), signal: control.signal });
    await expect(start).rejects.toThrow('it was given up');
  });
});

describe('a request', () => {
  it('[GATE-322] renews a token that the server refuses, and is sent again', async () => {
    const { server, connect, say, signIn: start } = await openDesk();
    await start();
    server.endTokens();
    expect(await say(connect(), 'once more')).toEqual({ heard: 'once more' });
    expect(server.seen.slice(3)).toEqual(['/mcp', '/token', '/mcp']);
  });

  it('[GATE-322] renews a token that is about to end before it is sent', async () => {
    const { server, connect, say, signIn: start } = await openDesk();
    server.expiresIn = 30;
    await start();
    expect(await say(connect())).toEqual({ heard: 'hello' });
    expect(server.seen.slice(3)).toEqual(['/token', '/mcp']);
  });

  it('[GATE-322] of several processes at once renews it once: a refresh token is good for one time', async () => {
    const { server, connect, say, signIn: start } = await openDesk();
    await start();
    server.endTokens();
    const answers = await Promise.all(Array.from({ length: 8 }, () => say(connect())));
    expect(answers).toEqual(Array.from({ length: 8 }, () => ({ heard: 'hello' })));
    expect(server.seen.slice(3).filter((path) => path === '/token')).toHaveLength(1);
  });

  it('[GATE-323] that needs a person says how to sign in', async () => {
    const { server, connect, say, signIn: start } = await openDesk();
    const expected = { code: 'SIGN_IN_NEEDED', message: expect.stringContaining('holdfast auth far') };
    await expect(say(connect())).rejects.toMatchObject(expected);
    await start();
    server.endSignIns();
    await expect(say(connect())).rejects.toMatchObject(expected);
  });
});
