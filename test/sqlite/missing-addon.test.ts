import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../pins/run-command.ts';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const hasBuiltin = process.getBuiltinModule?.('node:sqlite') !== undefined;

it.runIf(!hasBuiltin)(
  '[FIRST-323] a Node without SQLite, and without the package for it, is told what to do',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-addon-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    // Where no package can be found.
    for (const part of ['sqlite', 'errors.js', 'rpc-codes.js', 'require-node.js', 'node-version.js', 'own-url.js']) {
      await cp(join(DIST, part), join(dir, 'dist', part), { recursive: true });
    }
    const driver = pathToFileURL(join(dir, 'dist', 'sqlite', 'driver.js')).href;
    const program = `
    const { openDriver } = await import(${JSON.stringify(driver)});
    try { openDriver('x.db', { readOnly: false }); } catch (error) { console.log(error.code + ' ' + error.message); }
  `;
    const { output } = await runCommand([process.execPath, '--input-type=module', '-e', program], { cwd: dir });
    const missing = `Node ${process.versions.node} has no SQLite built in, and the optional package @photostructure/sqlite cannot be loaded from`;
    const remedy = 'use Node 22.13 or newer, or install it there or above: npm install @photostructure/sqlite@1';
    expect(output).toMatch(`STORE_FAILED ${missing} ${join(dir, 'dist')}`);
    expect(output).toContain(`; ${remedy}`);
  },
);
