/** The fenced blocks of a page, in order. */
import { readFile } from 'node:fs/promises';

export interface Fence {
  readonly language: string;
  readonly text: string;
  /** What an HTML comment right before it says: how it is to be read. */
  readonly note: string;
  /** The paragraph before it, which names the file that a snippet goes to. */
  readonly intro: string;
}

export async function readFences(page: string): Promise<Fence[]> {
  return toFences(await readFile(new URL(`../../${page}`, import.meta.url), 'utf8'));
}

export function toFences(markdown: string): Fence[] {
  // Odd parts lie inside of fences.
  const parts = markdown.split(/^```/m);
  return parts.flatMap((part, at) => (at % 2 === 1 ? [toFence(part, parts[at - 1] ?? '')] : []));
}

function toFence(part: string, before: string): Fence {
  const [language = '', ...lines] = part.split('\n');
  const paragraphs = before.trimEnd().split(/\n{2,}/);
  const note = /^<!-- (.*) -->$/.exec(paragraphs.at(-1) ?? '')?.[1];
  return {
    language: language.trim(),
    text: lines.join('\n'),
    note: note ?? '',
    intro: paragraphs.at(note === undefined ? -1 : -2) ?? '',
  };
}
