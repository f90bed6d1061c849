// Control characters, and those that turn the order of a line around: a terminal would act on them when they are pasted.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A word of a command line for a POSIX shell. One with characters that nobody sees needs bash, zsh or ksh. */
export function toShellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!UNSEEN.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${[...word].map(toEscaped).join('')}'`;
}

/** JSON in which every character can be seen, and nothing acts on a terminal. */
export function toSeenJson(value: unknown, indent?: number): string {
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
