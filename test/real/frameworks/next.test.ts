import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, it, onTestFinished } from 'vitest';
import { fetchNext } from '../../../scripts/fetched/next.mjs';
import { inRoot } from '../../../scripts/root.mjs';
import { expectDurable, openApp } from '../../frameworks/open-app.ts';

const FETCH_AND_BUILD_MS = 600_000;
const QUIET = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

/** The example in a folder of its own, with its packages and built. */
async function buildExample(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-next-'));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 20, retryDelay: 100 }));
  await cp(inRoot('examples', 'next'), folder, { recursive: true });
  const packages = join(folder, 'node_modules');
  await mkdir(packages);
  const fetched = await fetchNext();
  for (const name of await readdir(fetched)) {
    if (!name.startsWith('.')) await symlink(join(fetched, name), join(packages, name));
  }
  await symlink(inRoot(), join(packages, 'holdfast'));
  await symlink(inRoot('node_modules', 'zod'), join(packages, 'zod'));
  // The other bundler of Next follows no links out of its folder.
  const env = { ...process.env, ...QUIET };
  await promisify(execFile)(process.execPath, [toNext(folder), 'build', '--webpack'], { cwd: folder, env });
  return folder;
}

const toNext = (folder: string) => join(folder, 'node_modules', 'next', 'dist', 'bin', 'next');

describe('a slow tool whose serving process is killed comes back', () => {
  it('[FIRST-204] under Next, as the example has it', { timeout: FETCH_AND_BUILD_MS }, async () => {
    const cwd = await buildExample();
    const args = [toNext(cwd), 'start', '--hostname', '127.0.0.1'];
    await expectDurable(await openApp({ name: 'reports-next', args, cwd, env: QUIET, ready: /Ready in/ }));
  });
});
