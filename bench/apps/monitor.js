// @ts-check
/** How fast is a sync of the file monitor, compared with `find -type f -print0 | xargs -0 sha256sum` on the same tree? */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openMonitor } from '../../dist/apps/monitor/monitor.js';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const TREES = {
  small: { files: isQuick ? 2000 : 50_000, mostBytes: 4096 },
  large: { files: isQuick ? 50 : 2000, mostBytes: 2 ** 21 },
};
const FILES_EACH = 100;
const ROUNDS = isQuick ? 1 : 5;
const BY_HAND = 'find "$0" -type f -print0 | xargs -0 sha256sum | wc -l';

const tree = process.argv.includes('large') ? 'large' : 'small';
const { files, mostBytes } = TREES[tree];

await withTempDir(async (dir) => {
  const root = join(dir, 'tree');
  await makeTree(root);
  /** @type {number[]} */
  const secondMs = [];
  const figures = await interleave(ROUNDS, {
    async first() {
      const monitor = await openEmpty(dir);
      const firstMs = await timeSync(monitor, root, files);
      secondMs.push(await timeSync(monitor, root, 0));
      await monitor.close();
      return firstMs;
    },
    byHand: () => timeByHand(root),
  });
  // The first round only warms up, so it does not count.
  const second = secondMs.slice(1);
  const facts = { bench: 'monitor', tree, files, rounds: ROUNDS };
  const byHandMs = toMedian(figures.byHand);
  const firstMs = toMedian(figures.first);
  print({ ...facts, sync: 'first', ...toRatio(figures.first, figures.byHand), aim: '<=1.5', firstMs, byHandMs });
  print({ ...facts, sync: 'second', ...toRatio(figures.first, second), aim: '>=10', secondMs: toMedian(second) });
  print({ ...facts, sync: 'memory', ...(await measureMemory(dir, root)), aim: '<=1.3' });
});

/** @param {string} root */
async function makeTree(root) {
  const body = randomBytes(mostBytes);
  for (let at = 0; at < files; at += FILES_EACH) {
    const folder = join(root, `part-${(at / FILES_EACH) % 10}`, `folder-${at / FILES_EACH}`);
    await mkdir(folder, { recursive: true });
    for (let file = at; file < Math.min(files, at + FILES_EACH); file++) {
      await writeFile(join(folder, `file-${file}.bin`), body.subarray(0, (file * 7919) % mostBytes));
    }
  }
}

/** @param {string} dir */
async function openEmpty(dir) {
  const database = join(dir, 'monitor.db');
  for (const end of ['', '-wal', '-shm']) await rm(database + end, { force: true });
  return openMonitor({ database, config: join(dir, 'none.json') });
}

/**
 * @param {import('../../dist/apps/monitor/monitor.js').Monitor} monitor
 * @param {string} path
 * @param {number} expected how many files must be hashed
 */
async function timeSync(monitor, path, expected) {
  const start = performance.now();
  const { data } = await monitor.sync({ path, recursive: true });
  const ms = performance.now() - start;
  if (data.files_hashed !== expected) throw new Error(`${data.files_hashed} files were hashed, not ${expected}`);
  return ms;
}

/** @param {string} root */
async function timeByHand(root) {
  const start = performance.now();
  const { stdout } = await promisify(execFile)('sh', ['-c', BY_HAND, root]);
  if (Number(stdout) !== files) throw new Error(`${stdout} files were hashed, not ${files}`);
  return performance.now() - start;
}

/**
 * The peak memory during a sync of the whole tree, compared with a sync of a tenth of it.
 *
 * @param {string} dir
 * @param {string} root
 */
async function measureMemory(dir, root) {
  const toPeak = async (/** @type {string} */ path) => {
    const monitor = await openEmpty(dir);
    let peak = 0;
    await monitor.sync({
      path,
      recursive: true,
      onProgress() {
        peak = Math.max(peak, process.memoryUsage.rss());
      },
    });
    await monitor.close();
    return peak;
  };
  const tenthBytes = await toPeak(join(root, 'part-0'));
  const peakBytes = await toPeak(root);
  return { ratio: peakBytes / tenthBytes, peakBytes };
}
