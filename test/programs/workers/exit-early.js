// @ts-check
/**
 * Starts an engine that runs its tasks itself, and ends some ms later without closing it.
 *
 * node exit-early.js DIR MS
 */
import { join } from 'node:path';
import { createEngine, openSqliteStore } from 'holdfast';

const [dir = '', ms = '0'] = process.argv.slice(2);
const store = await openSqliteStore({ path: join(dir, 'tasks.db') });
const engine = await createEngine({ name: 'early', store, workers: 'inline', tools: {} });
await engine.start();
setTimeout(() => process.exit(0), Number(ms));
