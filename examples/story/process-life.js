// @ts-check
import { readFileSync } from 'node:fs';

/** Whether no process runs under this pid. A zombie counts as gone. @param {number} pid */
export function isGone(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return process.platform === 'linux';
  }
}
