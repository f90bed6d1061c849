/**
 * Texts that others chose, as a person's terminal may show them.
 *
 * A terminal obeys control characters: they rewrite the screen, set the clipboard or answer in the user's name. Bidi
 * controls and line separators make a line read as something else. So they are shown as escapes instead.
 */
const OBEYED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const OBEYED_IN_PAGES = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Begins each line of a server's where people are asked, so that none of them looks like a question of ours. */
export const SERVER_MARK = '| ';

/** One line: a line break is shown as well. */
export function toPlainText(text: string): string {
  return text.replace(OBEYED, (char) => (char === '\n' ? '\\n' : toEscape(char)));
}

/** Several lines: line breaks and tabs stay. */
export function toPlainPage(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(OBEYED_IN_PAGES, toEscape);
}

/** JSON that is safe to look at; it means the same. `JSON.stringify` escapes only a part of what terminals obey. */
export function toPlainJson(value: unknown, indent?: number): string {
  return toPlainPage(JSON.stringify(value, undefined, indent) ?? '');
}

function toEscape(char: string): string {
  return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
