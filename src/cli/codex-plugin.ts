/**
 * `holdfast codex` as a standalone program for plugins: the entry that `scripts/build-mcp.mjs` bundles into one file.
 *
 * All imports are lazy, because the same file also runs as the heartbeat thread, which needs little of it.
 */
import { bundleThread } from '../engine/heartbeat/thread-code.ts';

const isMain = await bundleThread(import.meta.url, () => import('../engine/heartbeat/heartbeat-thread.ts'));
if (isMain) {
  const { runCodexOnly } = await import('./run-codex-only.ts');
  process.exitCode = await runCodexOnly(process.argv.slice(2), import.meta.dirname);
}
