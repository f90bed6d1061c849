/** A directory for stores in which nothing can be made: on a disk that cannot be written, and in a place of the system's. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OPEN = `
  const { openSqliteStore } = await import('holdfast');
  await openSqliteStore({ name: 'reports' }).catch((error) => console.log(error.code + ' ' + error.message));
`;
const NODE = ['--input-type=module', '-e', OPEN];
// A process that hangs is ended, and has said nothing.
const LIMITS = { cwd: ROOT, encoding: 'utf8', timeout: 30_000, killSignal: 'SIGKILL' } as const;

const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

describe('HOLDFAST_DIR', () => {
  it.runIf(canMount)('[FIRST-308] on a disk that cannot be written is told as STORE_READ_ONLY', () => {
    const script = 'mount -t tmpfs tmpfs /mnt && mount -o remount,ro /mnt && exec "$0" "$@"';
    const env = { ...process.env, HOLDFAST_DIR: '/mnt/state' };
    const args = ['-m', 'sh', '-c', script, process.execPath, ...NODE];
    const { stdout } = spawnSync('unshare', args, { ...LIMITS, env });
    expect(stdout).toMatch(
      /^STORE_READ_ONLY \/mnt\/state\/holdfast\/reports\/tasks\.db: EROFS: .*; make the file and its directory writable/,
    );
  });

  it.runIf(process.platform === 'linux')(
    '[FIRST-309] in a directory that takes no entries is refused, and named',
    () => {
      const env = { ...process.env, HOLDFAST_DIR: '/proc/self' };
      const { stdout } = spawnSync(process.execPath, NODE, { ...LIMITS, env });
      expect(stdout).toMatch(
        /^STORE_NO_ACCESS \/proc\/self\/holdfast\/reports\/tasks\.db: EACCES: no directory can be made in \/proc\/self, /,
      );
    },
  );
});
