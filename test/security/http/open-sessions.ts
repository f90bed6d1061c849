/** Servers on one store whose time stands still, for sessions that grow old. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, openSqliteStore, type ServerOptions } from 'holdfast';
import { createFakeClock, type FakeClock } from 'holdfast/testing';
import { expect, onTestFinished } from 'vitest';
import { post } from '../../server/open-http.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

export interface SessionRig {
  readonly clock: FakeClock;
  readonly directory: string;
  /** Starts a server on the store. */
  serve(options?: Partial<ServerOptions>): Promise<{ readonly url: string; stop(): Promise<void> }>;
}

export async function openSessions(): Promise<SessionRig> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-sessions-'));
  const clock = createFakeClock();
  const closers: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const close of closers.reverse()) await close();
    await rm(directory, { recursive: true });
  });
  return {
    clock,
    directory,
    async serve(options = {}) {
      const store = await openSqliteStore({ path: join(directory, 'tasks.db'), clock });
      const server = createServer({
        name: 'test',
        version: '1.0.0',
        identity: 'test',
        workers: 'inline',
        shutdownGraceMs: 500,
        leaseMs: 1e9,
        store,
        clock,
        onError: (error) => expect.fail(String(error)),
        unprotected: options.verify === undefined,
        ...options,
      });
      server.tool('greet', { task: 'never', run: () => 'Hello!' });
      const { url, close } = await server.listen({ port: 0 });
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= close()
          .then(() => server.close())
          .then(() => store.close());
        return stopped;
      };
      closers.push(stop);
      return { url, stop };
    },
  };
}

/** The status of a request in a session. */
export async function useSession(url: string, headers: Record<string, string>): Promise<number> {
  const response = await post(url, { body: LIST, headers });
  await response.text();
  return response.status;
}
