import { toPlainText } from '../../text/plain-text.ts';

/** Escapes untrusted text for Markdown and puts it on one line. */
export function toMarkdownText(text: string): string {
  return toPlainText(text).replace(/[\\`*_{}[\]<>|#]/g, (char) => `\\${char}`);
}

/** Formats text as inline code that is also safe inside a table. */
export function toMarkdownCode(text: string): string {
  const plain = toPlainText(text).replaceAll('|', '\\|');
  // The fence must be longer than every run of back-ticks in the text.
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const gap = longest > 0 ? ' ' : '';
  return `${fence}${gap}${plain}${gap}${fence}`;
}

/** Formats a table whose cells are already Markdown. */
export function toMarkdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Joins paragraphs, tables and lists, with one empty line between each. */
export function toMarkdownPage(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
