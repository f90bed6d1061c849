// @ts-check
/**
 * Puts a link in the place of every draft of a key that appears: node swap-drafts.js FOLDER TARGET. Says when it looks,
 * and ends with its stdin.
 */
import { readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', target = ''] = process.argv.slice(2);
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();
process.stdout.write('ready\n');
look();

function look() {
  const drafts = readdirSync(folder).filter((name) => name.startsWith('local.key.'));
  for (const name of drafts) swap(join(folder, name));
  if (!isOver) setImmediate(look);
}

/** @param {string} draft */
function swap(draft) {
  try {
    rmSync(draft);
    symlinkSync(target, draft);
  } catch {
    // It was gone already.
  }
}
