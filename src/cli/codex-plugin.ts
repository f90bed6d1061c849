/**
 * `holdfast codex` as a program of its own, for plugins: what `scripts/build-mcp.mjs` makes one file of.
 *
 * Everything is loaded late, because the file is also run as the heartbeat thread, which needs little of it.
 */
import { bundleThread } from '../engine/heartbeat/thread-code.ts';

const isMain = await bundleThread(import.meta.url, () => import('../engine/heartbeat/heartbeat-thread.ts'));
if (isMain) {
  const { runCodexOnly } = await import('./run-codex-only.ts');
  process.exitCode = await runCodexOnly(process.argv.slice(2), import.meta.dirname);
}
