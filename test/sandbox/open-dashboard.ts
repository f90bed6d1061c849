/** A dashboard on an engine of its own, mounted below a path in Hono, as its documentation shows it. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { createEngine, type Engine, type EngineOptions, openSqliteStore } from 'holdfast';
import { createDashboard } from 'holdfast/dashboard';
import { Hono } from 'hono';

export interface OpenDashboard {
  readonly engine: Engine;
  readonly url: string;
  close(): Promise<void>;
}

const TOKEN = 'a-token-of-this-dashboard';

export async function openDashboard(
  tools: object,
  { base = '', ...options }: Partial<EngineOptions> & { base?: string } = {},
): Promise<OpenDashboard> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-dashboard-'));
  const store = await openSqliteStore({ path: join(folder, 'tasks.db') });
  const engine = await createEngine({ name: 'page', store, workers: 'inline', tools: tools as never, ...options });
  await engine.start();
  const dashboard = createDashboard(engine, { token: TOKEN, base });
  const app = new Hono();
  app.get('/elsewhere', (c) => c.text('another page'));
  app.all(`${base}/*`, (c) => dashboard.fetch(c.req.raw));
  const { server, port } = await new Promise<{ server: ReturnType<typeof serve>; port: number }>((resolve) => {
    const made = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info: AddressInfo) =>
      resolve({ server: made, port: info.port }),
    );
  });
  return {
    engine,
    url: `http://127.0.0.1:${port}${base}/?token=${TOKEN}`,
    async close() {
      dashboard.close();
      await new Promise((resolve) => server.close(resolve));
      await engine.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
