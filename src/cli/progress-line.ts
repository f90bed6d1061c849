import { toPlainText } from './format.ts';
import type { Terminal } from './terminal.ts';

/** One line on stderr that tells how far something is. */
export interface ProgressLine {
  /** `value` is 0..1. */
  show(value: number, message: string): void;
  /** Leaves the screen as it was. */
  end(): void;
}

const BAR_CELLS = 30;
const PLAIN_LINE_MS = 1000;
const ERASE = '\r\u001b[2K';

/** A bar on a terminal, a plain line now and then where there is none, and nothing beside JSON. */
export function createProgressLine(terminal: Pick<Terminal, 'json' | 'remark'>, stream = process.stderr): ProgressLine {
  if (terminal.json) return { show() {}, end() {} };
  return stream.isTTY ? createBar(stream) : createPlainLines(terminal);
}

function createBar(stream: NodeJS.WriteStream): ProgressLine {
  return {
    show(value, message) {
      const full = Math.round(value * BAR_CELLS);
      const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}] ${Math.floor(value * 100)}%`;
      stream.write(`${ERASE}${`${bar} ${toPlainText(message)}`.slice(0, (stream.columns ?? 80) - 1)}`);
    },
    end: () => void stream.write(ERASE),
  };
}

function createPlainLines(terminal: Pick<Terminal, 'remark'>): ProgressLine {
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    show(value, message) {
      if (value < 1 && performance.now() - lastAt < PLAIN_LINE_MS) return;
      lastAt = performance.now();
      terminal.remark(toPlainText(message));
    },
    end() {},
  };
}
