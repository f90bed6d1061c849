/** The plugin's one file on Nodes that have SQLite themselves. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchNode } from '../../../scripts/fetched/fetch-node.mjs';
import { runCommand } from '../../pins/run-command.ts';

const inRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const FETCH_AND_RUN_MS = 180_000;

describe('the Codex plugin', () => {
  it('[PLUGIN-05] unpacks no native code on Node 22 and 24', { timeout: FETCH_AND_RUN_MS }, async () => {
    expect((await runCommand([process.execPath, inRoot('scripts/build-mcp.mjs')])).code).toBe(0);
    for (const major of [22, 24] as const) {
      const home = await mkdtemp(join(tmpdir(), 'holdfast-plugin-'));
      onTestFinished(() => rm(home, { recursive: true }));
      const env = {
        ...process.env,
        HOME: home,
        XDG_CACHE_HOME: join(home, 'cache'),
        HOLDFAST_DIR: join(home, 'store'),
      };
      const server = [await fetchNode(major), inRoot('plugin/codex/codex_app/mcp-server.mjs')];
      expect(await runCommand(server, { env })).toMatchObject({ code: 0 });
      expect(await readdir(home)).toEqual(['store']);
    }
  });
});
