// @ts-check
/** Runs the commands of the README and draws their output as docs/story.svg: `npm run picture`. */
import { writeFile } from 'node:fs/promises';
import { build } from './build.mjs';
import { drawStory } from './picture/draw-story.mjs';
import { recordStory } from './picture/record-story.mjs';
import { inRoot } from './root.mjs';

/** @typedef {import('./picture/draw-story.mjs').Line} Line */

const PASSING = /\bPage \d+ of \d+$/;
/** How many of the lines that replace each other are drawn. */
const SAMPLES = 8;
const READ_MS = 1200;
const LINE_MS = 350;
// Limits long pauses in the picture.
const LONGEST_GAP_MS = 700;

if ((await build()) !== 0) process.exit(1);
const words = {
  title: 'A call that is left, killed and fetched',
  description:
    'A tool is called and left. Its worker is listed and killed with kill -9. The call is resumed, and ends.',
};
await writeFile(inRoot('docs/story.svg'), drawStory(toLines(await recordStory()), words));

/** @param {readonly import('./picture/record-story.mjs').Typed[]} story */
function toLines(story) {
  /** @type {Line[]} */
  const drawn = [];
  let at = 400;
  let row = 0;
  for (const { command, lines } of story) {
    drawn.push({ kind: 'command', text: command, at, row });
    at += READ_MS;
    row += 1;
    let before = 0;
    for (const { text, at: printed } of sample(lines)) {
      at += Math.min(Math.max(printed - before, LINE_MS), LONGEST_GAP_MS);
      before = printed;
      const last = drawn.at(-1);
      const isNext = last !== undefined && last.row === row - 1 && PASSING.test(last.text);
      if (isNext) Object.assign(last, { until: at });
      drawn.push({ kind: 'output', text, at, row: isNext ? row - 1 : row });
      if (!isNext) row += 1;
    }
    at += READ_MS;
  }
  return drawn;
}

/** @template {{ text: string }} T @param {readonly T[]} lines @returns {T[]} */
function sample(lines) {
  const passing = lines.filter(({ text }) => PASSING.test(text));
  const every = Math.max(1, Math.ceil(passing.length / SAMPLES));
  const kept = new Set(passing.filter((_, index) => index % every === 0));
  return lines.filter((line) => !PASSING.test(line.text) || kept.has(line));
}
