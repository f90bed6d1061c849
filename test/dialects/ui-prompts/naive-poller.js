// @ts-check
/**
 * A faithful port of the poller this dialect was first read with: it looks once per interval, decodes what it read,
 * keeps 2000 entries per file in one global state, and knows a rewrite only by a smaller size. It is here to be beaten,
 * by the tests and in the bench.
 */
import { open, readFile, writeFile } from 'node:fs/promises';

/** @typedef {{ type?: unknown, action?: unknown, requestId?: unknown, prompt?: Record<string, unknown> }} Entry */
/** @typedef {{ position: number, buffer: string, entries: Entry[] }} State */

const MAX_ENTRIES = 2000;

export class NaivePoller {
  /** @type {Map<string, State>} */
  #states = new Map();

  /** How many entries it has compared with an id. */
  compared = 0;

  /**
   * One look; the text of the result when it is seen.
   *
   * @param {string} path
   * @param {string} taskId
   * @returns {Promise<string | undefined>}
   */
  async poll(path, taskId) {
    const state = this.#states.get(path) ?? { position: 0, buffer: '', entries: [] };
    this.#states.set(path, state);
    await readMore(path, state);
    this.compared += state.entries.length;
    return find(state.entries, taskId);
  }

  get cachedPaths() {
    return this.#states.size;
  }

  /** @param {string} path */
  countEntries(path) {
    return this.#states.get(path)?.entries.length ?? 0;
  }
}

/**
 * @param {string} path
 * @param {State} state
 */
async function readMore(path, state) {
  const file = await open(path).catch(() => undefined);
  if (!file) return;
  try {
    const { size } = await file.stat();
    if (size < state.position) Object.assign(state, { position: 0, buffer: '', entries: [] });
    if (size === state.position) return;
    const bytes = Buffer.alloc(size - state.position);
    await file.read(bytes, 0, bytes.length, state.position);
    state.position = size;
    const lines = (state.buffer + bytes.toString('utf8')).split(/\r?\n/);
    state.buffer = lines.pop() ?? '';
    for (const line of lines) {
      try {
        state.entries.push(JSON.parse(line));
      } catch {
        // Lines that are no JSON are passed over.
      }
    }
    state.entries = state.entries.slice(-MAX_ENTRIES);
  } finally {
    await file.close();
  }
}

/**
 * @param {readonly Entry[]} entries
 * @param {string} taskId
 */
function find(entries, taskId) {
  const ids = [taskId, `mcp-task:${taskId}`];
  const found = entries.findLast(
    (entry) =>
      entry?.type === 'ui_prompt' &&
      entry.action === 'request' &&
      typeof entry.requestId === 'string' &&
      ids.includes(entry.requestId.trim()) &&
      entry.prompt?.kind === 'result',
  );
  if (!found) return undefined;
  const { markdown, result, content } = found.prompt ?? {};
  const text = [markdown, result, content].find((one) => typeof one === 'string');
  return String(text ?? '').trim() || '（无结果内容）';
}

/**
 * The call around the poller: the cancel is heard only until the acknowledgement, a deadline counts the looks, and
 * running into it is a text like any other.
 *
 * @param {object} call
 * @param {() => Promise<unknown>} call.send
 * @param {() => void} call.cancel
 * @param {() => Promise<string | undefined>} call.poll
 * @param {number} call.mostLooks
 * @param {AbortSignal} call.signal
 */
export async function callNaively({ send, cancel, poll, mostLooks, signal }) {
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await send();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  for (let look = 0; look < mostLooks; look++) {
    const text = await poll();
    if (text !== undefined) return text;
    signal.throwIfAborted();
  }
  return '❌ 等待交互待办结果超时';
}

/**
 * Caps a log as the first writers did: it is read, cut and written back, and nobody is kept from appending meanwhile.
 *
 * @param {string} path
 * @param {() => Promise<void>} meanwhile what happens between reading and writing
 */
export async function capNaively(path, meanwhile) {
  const lines = (await readFile(path, 'utf8')).split('\n');
  await meanwhile();
  await writeFile(path, lines.slice(-10).join('\n'));
}
