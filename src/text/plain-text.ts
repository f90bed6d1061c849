/**
 * Makes untrusted texts safe to show in a terminal.
 *
 * A terminal obeys control characters: they rewrite the screen, set the clipboard or send input in the user's name. Bidi controls
 * and line separators make a line read as something else. So they are shown as escapes instead.
 */
const OBEYED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const OBEYED_IN_PAGES = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Prefixes each line of a server's text where people are asked, so that no line looks like a question of Holdfast. */
export const SERVER_MARK = '| ';

/** For one line: line breaks are escaped too. */
export function toPlainText(text: string): string {
  return text.replace(OBEYED, (char) => (char === '\n' ? '\\n' : toEscape(char)));
}

/** For several lines: line breaks and tabs stay. */
export function toPlainPage(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(OBEYED_IN_PAGES, toEscape);
}

/** Returns equivalent JSON that is safe to print. `JSON.stringify` escapes only some of the characters that terminals obey. */
export function toPlainJson(value: unknown, indent?: number): string {
  return toPlainPage(JSON.stringify(value, undefined, indent) ?? '');
}

function toEscape(char: string): string {
  return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
