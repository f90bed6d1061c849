// @ts-check
/**
 * The terminal output of the story: events are printed line by line, and below them the progress bars are updated in place.
 *
 * Without a terminal (a pipe, a CI log) the bars become one plain line per relevant change.
 */
import { styleText } from 'node:util';

/** @typedef {import('./board.js').Row} Row */
/** @typedef {Parameters<typeof styleText>[0]} Style */

const BAR = 18;
/** Below this width the bars would wrap, and wrapped lines cannot be redrawn in place. */
const NARROWEST = 60;
const FRAME_MS = 50;

/** @type {Record<import('./board.js').RowState, { mark: string, style: Style, word: string }>} */
const LOOKS = {
  queued: { mark: '·', style: 'dim', word: 'queued' },
  working: { mark: '▸', style: 'cyan', word: 'working' },
  asking: { mark: '?', style: 'yellow', word: 'asking' },
  stopped: { mark: '■', style: 'red', word: 'stopped' },
  done: { mark: '✓', style: 'green', word: 'done' },
  interrupted: { mark: '✗', style: 'magenta', word: 'interrupted' },
  failed: { mark: '✗', style: 'red', word: 'failed' },
};

/** @param {NodeJS.WriteStream} out */
export function createScreen(out) {
  const isLive = out.isTTY === true && process.env.TERM !== 'dumb' && out.columns >= NARROWEST;
  const paint = toPainter(isLive && out.hasColors());
  const beganAt = performance.now();
  const stamp = () => paint('dim', `${((performance.now() - beganAt) / 1000).toFixed(1).padStart(5)} s`);
  const bars = isLive ? createLiveBars(out, paint) : createPlainBars(out, stamp);
  return {
    /** Prints a line without a time. @param {string} text */
    print: (text = '') => bars.above(`${text}\n`),
    /** Prints a line with the current time. @type {(text: string, style?: Style) => void} */
    tell: (text, style) => bars.above(`${stamp()}  ${style ? paint(style, text) : text}\n`),
    /** @param {readonly Row[]} rows */
    show: (rows) => bars.show(rows),
    /** Draws the bars for the last time and shows the cursor again. */
    end: () => bars.end(),
    paint,
    /** @param {import('./board.js').RowState} state */
    toStyle: (state) => LOOKS[state].style,
  };
}

/** @type {(hasColours: boolean) => (style: Style, text: string) => string} */
function toPainter(hasColours) {
  return (style, text) => (hasColours ? styleText(style, text) : text);
}

/** @type {(out: NodeJS.WriteStream, paint: ReturnType<typeof toPainter>) => Bars} */
function createLiveBars(out, paint) {
  /** @type {readonly Row[]} */
  let rows = [];
  let height = 0;
  /** @type {NodeJS.Timeout | undefined} */
  let frame;
  const showCursor = () => out.write('\x1b[?25h');

  const draw = (above = '') => {
    clearTimeout(frame);
    frame = undefined;
    const lines = rows.length === 0 ? [] : ['', ...rows.map((row) => toBar(row, out.columns, paint))];
    // One write per frame: a half-drawn frame would flicker.
    out.write(`${height > 0 ? `\x1b[${height}A\r\x1b[J` : ''}${above}${lines.map((line) => `${line}\n`).join('')}`);
    height = lines.length;
  };

  return {
    above: draw,
    show(next) {
      if (rows.length === 0) {
        out.write('\x1b[?25l');
        process.once('exit', showCursor);
      }
      rows = next;
      frame ??= setTimeout(draw, FRAME_MS);
    },
    end() {
      draw();
      height = 0;
      rows = [];
      showCursor();
      process.removeListener('exit', showCursor);
    },
  };
}

/**
 * @typedef {object} Bars
 * @property {(text: string) => void} above
 * @property {(rows: readonly Row[]) => void} show
 * @property {() => void} end
 */

/** @type {(out: NodeJS.WriteStream, stamp: () => string) => Bars} */
function createPlainBars(out, stamp) {
  /** @type {Map<string, string>} */
  const told = new Map();
  const tell = (/** @type {Row} */ row) => {
    const { tool, state, attempt, value, message } = row;
    const quarter = state === 'working' ? Math.min(3, Math.floor(value * 4)) : 0;
    const news = `${state} ${attempt} ${quarter}`;
    if (told.get(tool) === news) return;
    told.set(tool, news);
    const parts = [tool.padEnd(14), `${Math.floor(value * 100)} %`.padStart(5), LOOKS[state].word.padEnd(11)];
    out.write(`${[stamp(), ...parts, toAttempt(attempt), message].join('  ').trimEnd()}\n`);
  };
  return { above: (text) => out.write(text), show: (rows) => rows.forEach(tell), end: () => {} };
}

/** @type {(row: Row, columns: number, paint: ReturnType<typeof toPainter>) => string} */
function toBar({ tool, state, attempt, value, message }, columns, paint) {
  const { mark, style } = LOOKS[state];
  const full = Math.round(value * BAR);
  const percent = `${Math.floor(value * 100)} %`.padStart(5);
  const words = `  ${percent}  ${toAttempt(attempt)}  ${message}`;
  const room = Math.max(0, columns - 1 - (3 + 14 + 2 + BAR));
  return [
    ` ${paint(style, mark)} ${tool.padEnd(14)}  `,
    paint(style, '█'.repeat(full)),
    paint('dim', '░'.repeat(BAR - full)),
    words.length > room ? `${words.slice(0, Math.max(0, room - 1))}…` : words,
  ].join('');
}

/** @param {number} attempt */
function toAttempt(attempt) {
  return attempt === 0 ? '         ' : `attempt ${attempt}`;
}
