// @ts-check
/**
 * Replaces Codex in benchmarks that need its output and not its work. The prompt says how to print: `print COUNT spread MS`
 * waits a random time of up to MS before each line; `print COUNT burst SIZE` prints SIZE lines every 10 ms.
 */
import { text } from 'node:stream/consumers';
import { paceBursts, paceSpread, toMark } from './codex-pace.js';

const [, lines = '0', pace = '', figure = '0'] =
  /print (\d+) (spread|burst) (\d+)/.exec(await text(process.stdin)) ?? [];
const [count, argument] = [Number(lines), Number(figure)];
/** @param {number} index */
const printMark = (index) => print(toMark(index));

print({ type: 'thread.started', thread_id: 'bench' });
print({ type: 'turn.started' });
if (pace === 'spread') await paceSpread({ count, maxMs: argument }, printMark);
else await paceBursts({ count, size: argument }, printMark);
print({ type: 'item.completed', item: { id: 'last', type: 'agent_message', text: 'printed' } });
print({ type: 'turn.completed', usage: {} });

/** @param {object} event */
function print(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
