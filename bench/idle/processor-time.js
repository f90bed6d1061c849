// @ts-check
/** How much processor time processes take. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Percent of a core, for all of them in the same windows.
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

/** Processor time of all threads, to the nanosecond: a tick of `stat` is more than the aim allows in a window. */
function readCpuMs(/** @type {number} */ pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]));
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
}
