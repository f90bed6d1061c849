// @ts-check
/** Codex events that carry their creation time, and functions that spread them over time. */
import { setTimeout } from 'node:timers/promises';
import { sharedNow } from '../measure.js';

const BURST_MS = 10;

/** @param {number} index */
export function toMark(index) {
  const item = { id: `item_${index}`, type: 'agent_message', text: `mark ${index} ${sharedNow().toFixed(3)}` };
  return { type: 'item.completed', item };
}

/**
 * Parses the mark in a text.
 *
 * @param {string} text
 */
export function parseMark(text) {
  const [, index, madeAt] = /mark (\d+) ([\d.]+)/.exec(text) ?? [];
  return index === undefined ? undefined : { index: Number(index), madeAt: Number(madeAt) };
}

/**
 * One event at a time, each after a random pause.
 *
 * @param {{ count: number, maxMs: number }} pace
 * @param {(index: number) => unknown} make
 */
export async function paceSpread({ count, maxMs }, make) {
  for (let index = 0; index < count; index++) {
    await setTimeout(Math.random() * maxMs);
    await make(index);
  }
}

/**
 * `size` events at once every 10 ms; a late burst is made up for.
 *
 * @param {{ count: number, size: number }} pace
 * @param {(index: number) => unknown} make
 */
export async function paceBursts({ count, size }, make) {
  const began = sharedNow();
  for (let index = 0; index < count; index += size) {
    const earlyMs = began + (index / size) * BURST_MS - sharedNow();
    if (earlyMs > 0) await setTimeout(earlyMs);
    for (let inside = index; inside < Math.min(index + size, count); inside++) await make(inside);
  }
}
