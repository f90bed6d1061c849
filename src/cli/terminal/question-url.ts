import { TaskError } from '../../errors.ts';

/**
 * Parses the URL of a page that a server wants a person to open, as a browser would.
 *
 * Only http and https: another scheme may run a script or read a local file. User information before the host can make a
 * foreign address look like a known one.
 */
export function parseQuestionUrl(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw refused(text, 'a whole URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused(text, 'an https or http URL');
  if (url.username !== '' || url.password !== '') throw refused(text, 'a URL without user information before its host');
  return url;
}

function refused(text: unknown, expected: string): TaskError {
  return new TaskError('INVALID_ARGUMENT', `the URL is ${JSON.stringify(text)}; expected ${expected}`);
}
