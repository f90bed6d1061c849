import type { Readable } from 'node:stream';
import { SERVER_MARK, toPlainPage } from '../../text/plain-text.ts';

// What has no end is shown in pieces of this length.
const MAX_LINE = 8192;

/**
 * How a server's own output reaches the terminal of its host: through us, with its control characters made visible. Where
 * stderr is no terminal the server writes to it directly.
 */
export function toStderrMode(stderr: 'inherit' | 'ignore'): 'inherit' | 'ignore' | 'pipe' {
  return stderr === 'inherit' && process.stderr.isTTY ? 'pipe' : stderr;
}

/** Passes on what a server writes, line by line, for as long as it does. */
export function relayStderr(stream: Readable): void {
  const show = (line: string) => void process.stderr.write(`${SERVER_MARK}${toPlainPage(line.replace(/\r$/, ''))}\n`);
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) show(line);
    for (; rest.length > MAX_LINE; rest = rest.slice(MAX_LINE)) show(rest.slice(0, MAX_LINE));
  });
  stream.once('end', () => {
    if (rest !== '') show(rest);
  });
  // It breaks when the server does, and whoever waits for the server hears of that.
  stream.on('error', () => {});
}
