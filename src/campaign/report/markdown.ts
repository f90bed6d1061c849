import { toPlainText } from '../../text/plain-text.ts';

/** Text that others chose, on one line and without meaning for Markdown. */
export function toMarkdownText(text: string): string {
  return toPlainText(text).replace(/[\\`*_{}[\]<>|#]/g, (char) => `\\${char}`);
}

/** Text as it is, in the type of code; inside a table as well. */
export function toMarkdownCode(text: string): string {
  const plain = toPlainText(text).replaceAll('|', '\\|');
  // A fence is longer than every run of back-ticks in it.
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const gap = longest > 0 ? ' ' : '';
  return `${fence}${gap}${plain}${gap}${fence}`;
}

/** A table whose cells are Markdown already. */
export function toMarkdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A page of paragraphs, tables and lists, with one empty line between each. */
export function toMarkdownPage(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}
