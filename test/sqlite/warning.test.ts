import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../pins/run-command.ts';

/** Opens a store on a Node whose own SQLite warns as that of Node 22 does, and is not usable. */
const PROGRAM = `
  import { openSqliteStore } from 'holdfast';
  process.getBuiltinModule = () => {
    process.emitWarning('SQLite is an experimental feature and might change at any time', 'ExperimentalWarning');
    process.emitWarning('another thing');
    return undefined;
  };
  await (await openSqliteStore({ path: process.env.STORE })).close();
  process.emitWarning('SQLite is an experimental feature of somebody else');
`;

it("[HOSTS-240] the warning of Node's own SQLite is not printed, and every other one is", async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-warning-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const env = { ...process.env, STORE: join(dir, 'tasks.db') };
  const { code, output } = await runCommand([process.execPath, '--input-type=module', '-e', PROGRAM], { env });
  expect(code).toBe(0);
  expect(output).not.toContain('might change at any time');
  expect(output).toContain('another thing');
  expect(output).toContain('of somebody else');
});
