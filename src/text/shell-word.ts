// Control characters, and characters that reverse the order of a line: a terminal would act on them when they are pasted.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Quotes a word for the command line of a POSIX shell. A word with invisible characters needs bash, zsh or ksh. */
export function toShellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!UNSEEN.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${[...word].map(toEscaped).join('')}'`;
}

/** Returns JSON in which every character is visible and none affects a terminal. */
export function toVisibleJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return [...text].map((one) => (one !== '\n' && UNSEEN.test(one) ? toUnits(one) : one)).join('');
}

function toUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function toEscaped(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`;
  if (!UNSEEN.test(character)) return character;
  return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
