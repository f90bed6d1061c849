// @ts-check
/**
 * Follows a run as the first version of the app was followed: reads the whole state file every 400 ms and takes the new
 * entries of a window's log. Prints the delay between printing and seeing each mark.
 *
 *     node codex-poller.js FILE COUNT
 */
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { sharedNow } from '../measure.js';

const POLL_MS = 400;
const [file = '', count = '0'] = process.argv.slice(2);

/** @type {Map<number, number>} */
const waits = new Map();
while (waits.size < Number(count)) {
  await setTimeout(POLL_MS);
  const state = await readState();
  const now = sharedNow();
  for (const [, index, at] of JSON.stringify(state?.windowLogs ?? {}).matchAll(/"mark (\d+) ([\d.]+)"/g)) {
    if (!waits.has(Number(index))) waits.set(Number(index), now - Number(at));
  }
}
process.stdout.write(JSON.stringify([...waits.values()]));

async function readState() {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
