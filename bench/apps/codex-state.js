// @ts-check
/**
 * What does an event cost in the state file of the Codex app when the log is already long?
 *
 * node --expose-gc bench/apps/codex-state.js [--quick]
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appendLog } from '../../dist/apps/codex/runs/run-log.js';
import { StateFile } from '../../dist/apps/codex/state-file.js';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const LENGTHS = isQuick ? [100, 1000] : [100, 1000, 10_000, 100_000];
const SHORT = 1000;
const WRITES = 5;
const EVENTS_PER_WRITE = 100;
const RUN = { runId: 'run', windowId: 'window' };

await withTempDir(async (dir) => {
  /** @type {Record<string, () => Promise<number>>} */
  const sides = {};
  for (const length of LENGTHS) {
    sides[`ours ${length}`] = () => measureOurs(join(dir, `ours-${length}.json`), length);
    sides[`naive ${length}`] = () => measureNaive(join(dir, `naive-${length}.json`), length);
  }
  const figures = await interleave(isQuick ? 1 : 5, sides);
  for (const length of LENGTHS) {
    const [ours, naive] = [figures[`ours ${length}`] ?? [], figures[`naive ${length}`] ?? []];
    print({
      bench: 'codex-state',
      what: 'cost per event',
      ...toRatio(ours, figures[`ours ${SHORT}`] ?? []),
      ...(length > SHORT && { aim: '<= 2' }),
      naiveRatio: toRatio(naive, figures[`naive ${SHORT}`] ?? []).ratio,
      perEventMs: toMedian(ours),
      naivePerEventMs: toMedian(naive),
      events: length,
    });
  }
});

/**
 * @param {string} path
 * @param {number} length
 */
async function measureOurs(path, length) {
  const file = new StateFile(path, (error) => {
    throw error;
  });
  file.change((state) => {
    state.windows = [/** @type {any} */ ({ id: RUN.windowId, status: 'running' })];
    state.runs = [/** @type {any} */ ({ id: RUN.runId, windowId: RUN.windowId, status: 'running', lastSeq: 0 })];
    state.windowLogs = {};
    appendLog(state, RUN, toEntries(0, length));
  });
  await file.flush();
  const began = performance.now();
  for (let write = 0; write < WRITES; write++) {
    const entries = toEntries(length + write * EVENTS_PER_WRITE, EVENTS_PER_WRITE);
    file.change((state) => appendLog(state, RUN, entries));
    await file.flush();
  }
  const tookMs = performance.now() - began;
  const { runs } = await file.read();
  if (runs[0]?.lastSeq !== length + WRITES * EVENTS_PER_WRITE) throw new Error('events are missing in the log');
  return tookMs / (WRITES * EVENTS_PER_WRITE);
}

/**
 * What the first version of the app did: a log without a limit, and the whole file rewritten each time.
 *
 * @param {string} path
 * @param {number} length
 */
async function measureNaive(path, length) {
  const events = toEntries(0, length);
  const lines = events.map((event) => JSON.stringify(event));
  const began = performance.now();
  for (let write = 0; write < WRITES; write++) {
    for (const entry of toEntries(length + write * EVENTS_PER_WRITE, EVENTS_PER_WRITE)) {
      events.push(entry);
      lines.push(JSON.stringify(entry));
    }
    await writeFile(`${path}.next`, JSON.stringify({ windowLogs: { [RUN.windowId]: { events, lines } } }));
    await rename(`${path}.next`, path);
  }
  return (performance.now() - began) / (WRITES * EVENTS_PER_WRITE);
}

/**
 * @param {number} from
 * @param {number} count
 */
function toEntries(from, count) {
  return Array.from({ length: count }, (_, index) => {
    const seq = from + index + 1;
    const item = { id: `item_${seq}`, type: 'agent_message', text: `what was said in event ${seq}` };
    const event = { type: 'item.completed', item };
    return { runId: RUN.runId, seq, ts: new Date().toISOString(), source: 'codex', event };
  });
}
