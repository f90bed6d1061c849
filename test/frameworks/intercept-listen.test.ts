import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { interceptListen, restoreListen } from '../../src/engine/workers/intercept-listen.ts';

it('[FIRST-209] in a worker the first try to listen on a port starts the work loop, and nothing listens on one before', async () => {
  const starts: string[] = [];
  onTestFinished(restoreListen);
  interceptListen(async () => starts.push('first'));
  interceptListen(async () => starts.push('second'));
  const server = createServer();
  onTestFinished(() => void server.close());
  expect(server.listen({ port: 0 })).toBe(server);
  for (const port of [0, '0', undefined] as never[]) server.listen(port);
  expect(server.address()).toBeNull();
  expect(starts).toEqual(['first', 'second']);

  const directory = await mkdtemp(join(tmpdir(), 'holdfast-pipe-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const pipe = createServer().listen(join(directory, 'pipe'));
  await once(pipe, 'listening');
  pipe.close();

  restoreListen();
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
