/** Where the links of a set of Markdown files lead. */
import { dirname, join, normalize } from 'node:path';

/** Links that lead to no file of the set, or to no heading of it, as `page: target`. */
export async function findDeadLinks(
  files: ReadonlySet<string>,
  read: (file: string) => Promise<string>,
): Promise<string[]> {
  const pages = new Map<string, string>();
  for (const file of files) if (file.endsWith('.md')) pages.set(file, withoutCode(await read(file)));
  return [...pages].flatMap(([page, text]) =>
    listTargets(text)
      .filter((target) => !isAlive(page, target, { files, pages }))
      .map((target) => `${page}: ${target}`),
  );
}

interface Site {
  readonly files: ReadonlySet<string>;
  readonly pages: ReadonlyMap<string, string>;
}

function isAlive(page: string, target: string, { files, pages }: Site): boolean {
  const [path = '', heading] = target.split('#');
  const file = path === '' ? page : normalize(join(dirname(page), path));
  if (!files.has(file)) return false;
  return heading === undefined || listHeadings(pages.get(file) ?? '').includes(decodeURIComponent(heading));
}

function listTargets(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** As GitHub makes anchors of headings. */
function listHeadings(text: string): string[] {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

/** Blocks and spans of code may look like headings and links; the text of a span is part of its heading. */
function withoutCode(text: string): string {
  return text
    .replaceAll(/^```.*?^```/gms, '')
    .replaceAll(/`([^`\n]*)`/g, (_, span: string) => span.replaceAll(/[[\]]/g, ''));
}
