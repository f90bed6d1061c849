/** Names under which clients report themselves that do not contain the name they go by. */
const REPORTED_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['claude desktop', ['claude ai']],
  ['chatgpt', ['openai mcp']],
]);

/** Whether a client that reports this name is the one known as `known`, however either is spelled. */
export function isClient(known: string, reported: string): boolean {
  const words = toWords(reported);
  const wanted = toWords(known);
  const names = [wanted, ...(REPORTED_NAMES.get(wanted) ?? [])];
  return wanted !== '' && names.some((name) => ` ${words} `.includes(` ${name} `));
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
