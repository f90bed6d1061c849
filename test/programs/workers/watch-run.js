// @ts-check
/**
 * Watches a run by its state file alone: node watch-run.js FILE TASK HOW TIMEOUT_MS
 *
 * HOW is `end`, or `abort` to stop at the first event, or `leave` to stop reading there. Prints what it saw and what it
 * left behind, then has nothing to do: it ends by itself if nothing of the watch keeps it.
 */
import { watchRun } from 'holdfast/stream';

const [file = '', taskId = '', how = '', timeoutMs = ''] = process.argv.slice(2);
const stop = new AbortController();

/** @param {unknown} value */
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  for await (const seen of watchRun({ file, taskId, timeoutMs: Number(timeoutMs), signal: stop.signal })) {
    print(seen);
    if (how === 'abort') stop.abort(new Error('enough'));
    if (how === 'leave') break;
  }
} catch (error) {
  print({ type: 'thrown', message: /** @type {Error} */ (error).message });
}
// A pipe is what it prints on.
const left = process.getActiveResourcesInfo().filter((name) => /Timeout|FSEvent|Immediate/.test(name));
print({ type: 'left', left });
