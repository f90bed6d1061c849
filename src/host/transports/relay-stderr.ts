import type { Readable } from 'node:stream';
import { SERVER_MARK, toPlainPage } from '../../text/plain-text.ts';

// Longer lines are printed in pieces of this many characters.
const MAX_LINE = 8192;

/**
 * How a server's stderr reaches the terminal of its host: through this process, with control characters made visible. Where
 * stderr is no terminal, the server writes to it directly.
 */
export function toStderrMode(stderr: 'inherit' | 'ignore'): 'inherit' | 'ignore' | 'pipe' {
  return stderr === 'inherit' && process.stderr.isTTY ? 'pipe' : stderr;
}

/** Prints the output of a server line by line, until it ends. */
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
  // The stream breaks when the server exits, which is reported elsewhere.
  stream.on('error', () => {});
}
