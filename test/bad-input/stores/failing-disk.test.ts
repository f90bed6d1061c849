/** A disk that stops taking writes while a store is open: SQLite calls all of it an I/O error. */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const FAILURE = new URL('../../../dist/sqlite/failure.js', import.meta.url).href;
const NAME_IT = `
  const { toStoreError } = await import(${JSON.stringify(FAILURE)});
  const error = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 778 });
  console.log(toStoreError(error, '/mnt/tasks.db').code);
`;

// A disk of its own that nobody else sees; it goes with the process.
const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;

function nameOn(disk: string): string {
  const script = `mount -t tmpfs -o size=64k tmpfs /mnt && ${disk} && exec "$0" --input-type=module -e "$1"`;
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  return execFileSync('unshare', ['-m', 'sh', '-c', script, process.execPath, NAME_IT], { cwd: root })
    .toString()
    .trim();
}

it.runIf(canMount).each([
  ['STORE_READ_ONLY', 'mount -o remount,ro /mnt'],
  ['STORE_FULL', '! cat /dev/zero > /mnt/all 2> /dev/null'],
  ['STORE_FAILED', 'true'],
])('[BAD-308] an I/O error is %s by what the disk says to another write', (code, disk) => {
  expect(nameOn(disk)).toBe(code);
});
