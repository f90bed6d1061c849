import { toPlainText } from '../../text/plain-text.ts';
import type { Terminal } from './terminal.ts';

/** One line on stderr that shows progress. */
export interface ProgressLine {
  /** `value` is from 0 to 1, or undefined if unknown. */
  show(value: number | undefined, message: string): void;
  /** Erases the line. */
  end(): void;
}

const BAR_CELLS = 30;
const PLAIN_LINE_MS = 1000;
const ERASE = '\r\u001b[2K';

type Screen = Pick<Terminal, 'json' | 'remark'> & Partial<Pick<Terminal, 'keyboard'>>;

/** A bar on a terminal, an occasional plain line elsewhere, and nothing with `--json`. */
export function createProgressLine(screen: Screen, stream = process.stderr): ProgressLine {
  if (screen.json) return { show() {}, end() {} };
  return stream.isTTY ? createBar(screen, stream) : createPlainLines(screen);
}

function createBar({ keyboard }: Screen, stream: NodeJS.WriteStream): ProgressLine {
  return {
    show(value, message) {
      // A question on the screen must not be overwritten until it is answered.
      if (keyboard?.isAsking) return;
      const line = [...(value === undefined ? [] : [toBar(value)]), toPlainText(message)].join(' ');
      stream.write(`${ERASE}${line.slice(0, (stream.columns ?? 80) - 1)}`);
    },
    end: () => void stream.write(ERASE),
  };
}

function toBar(value: number): string {
  const full = Math.round(value * BAR_CELLS);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}] ${Math.floor(value * 100)}%`;
}

function createPlainLines(screen: Screen): ProgressLine {
  let lastAt = Number.NEGATIVE_INFINITY;
  let last = '';
  return {
    show(value, message) {
      // Progress arrives often and is throttled; a message without a value changes rarely and is always shown.
      const isNews = value === undefined && message !== last;
      if (value !== 1 && !isNews && performance.now() - lastAt < PLAIN_LINE_MS) return;
      lastAt = performance.now();
      last = message;
      screen.remark(toPlainText(message));
    },
    end() {},
  };
}
