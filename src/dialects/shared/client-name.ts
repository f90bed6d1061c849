import { MAX_CLIENT_TEXT_LENGTH, MAX_KNOWN_CLIENTS } from '../../limits.ts';
import { cutText } from '../../text/cut-text.ts';

/** Names under which clients report themselves that do not contain the name they go by. */
const REPORTED_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['claude desktop', ['claude ai']],
  ['chatgpt', ['openai mcp']],
]);

/** Tells which of the clients that it knows reports itself by a name: the first that matches, however it is spelled. */
export type ClientFinder = (reported: string) => string | undefined;

/**
 * Makes a finder of these clients. It works a name out when it comes for the first time, so that a client costs no more
 * for calling itself by a long one in every request.
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

/** The words under which a client may report itself, each set apart from its neighbours. */
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
