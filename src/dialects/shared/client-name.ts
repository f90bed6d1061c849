import { MAX_CLIENT_TEXT_LENGTH, MAX_KNOWN_CLIENTS } from '../../limits.ts';
import { cutText } from '../../text/cut-text.ts';

/** Names that clients report and that do not contain the name they are known by. */
const REPORTED_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['claude desktop', ['claude ai']],
  ['chatgpt', ['openai mcp']],
]);

/** Returns which known client reports itself by a name: the first that matches, in any spelling. */
export type ClientFinder = (reported: string) => string | undefined;

/**
 * Creates a finder of these clients. It caches each name, so that a client costs no more for reporting a long one in
 * every request.
 */
export function createClientFinder(known: readonly string[]): ClientFinder {
  const names = known.map((name) => ({ name, words: toNames(name) }));
  const found = new Map<string, string | undefined>();
  return (reported) => {
    const name = cutText(reported, MAX_CLIENT_TEXT_LENGTH);
    if (found.has(name)) return found.get(name);
    const words = ` ${toWords(name)} `;
    const match = names.find((one) => one.words.some((wanted) => words.includes(wanted)))?.name;
    const [oldest] = found.keys();
    if (found.size >= MAX_KNOWN_CLIENTS && oldest !== undefined) found.delete(oldest);
    found.set(name, match);
    return match;
  };
}

/** Whether a client that reports this name is the one known as `known`, however either is spelled. */
export function isClient(known: string, reported: string): boolean {
  return createClientFinder([known])(reported) !== undefined;
}

/** Returns the names under which a client may report itself, padded with spaces so that only whole words match. */
function toNames(known: string): readonly string[] {
  const words = toWords(known);
  if (words === '') return [];
  return [words, ...(REPORTED_NAMES.get(words) ?? [])].map((name) => ` ${name} `);
}

/** `claude-code`, `ClaudeCode` and `Claude Code` are the same two words. */
function toWords(name: string): string {
  return name
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}
