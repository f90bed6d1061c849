// @ts-check
/** Measures the processor time of processes. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The percentage of a core that each process uses, all in the same time windows.
 *
 * @template {string} Name
 * @param {Record<Name, { pid: number }>} all
 * @param {{ rounds: number, windowMs: number }} how
 */
export async function observe(all, { rounds, windowMs }) {
  const names = /** @type {Name[]} */ (Object.keys(all));
  const figures = /** @type {Record<Name, number[]>} */ ({});
  for (const name of names) figures[name] = [];
  for (let round = 0; round < rounds; round++) {
    const at = performance.now();
    const before = names.map((name) => readCpuMs(all[name].pid));
    await pause(windowMs);
    const elapsedMs = performance.now() - at;
    for (const [i, name] of names.entries()) {
      figures[name].push((100 * (readCpuMs(all[name].pid) - (before[i] ?? 0))) / elapsedMs);
    }
  }
  return figures;
}

/** Processor time of all threads, to the nanosecond: one tick of `stat` is more than the limit in one window. */
function readCpuMs(/** @type {number} */ pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
}
