import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { toFences } from './fences.ts';

const PAGES = [
  { english: 'README.md', chinese: 'README.zh-CN.md' },
  ...['codex', 'streaming', 'ui-prompts'].map((name) => ({
    english: `docs/${name}.md`,
    chinese: `docs/zh-CN/${name}.md`,
  })),
];

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

/** What must be the same in any language: code, how many headings and rows there are, and what is named as code in each row. */
function toSkeleton(page: string) {
  const prose = page.replaceAll(/^```.*?^```/gms, '');
  const rows = prose.split('\n').filter((line) => line.startsWith('|'));
  return {
    code: toFences(page).map(({ language, text }) => ({ language, text })),
    headings: [...prose.matchAll(/^(#+) /gm)].map(([, marks]) => marks),
    // Languages order words differently.
    rows: rows.map((row) => [...row.matchAll(/`[^`]+`/g)].map(([span]) => span).sort()),
    spans: [...new Set([...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/\s+/g, ' ')))].sort(),
  };
}

it.each(PAGES)(
  '[FIRST-505] $chinese has the code, headings, rows and names of $english',
  async ({ english, chinese }) => {
    const [original, translated] = [toSkeleton(await read(english)), toSkeleton(await read(chinese))];
    expect(translated.code).toEqual(original.code);
    expect(translated.headings).toEqual(original.headings);
    expect(translated.rows).toEqual(original.rows);
    expect(translated.spans).toEqual(original.spans);
  },
);

it.each(PAGES)(
  '[FIRST-505] $chinese is in Chinese, and each of the two leads to the other',
  async ({ english, chinese }) => {
    const [original, translated] = [await read(english), await read(chinese)];
    const letters = [...translated.replaceAll(/^```.*?^```/gms, '').matchAll(/\p{Script=Han}/gu)];
    expect(letters.length).toBeGreaterThan(1000);
    expect(original).toContain(`](${chinese.replace(/^docs\//, '')})`);
    expect(translated).toContain(`](${english === 'README.md' ? english : english.replace(/^docs\//, '../')})`);
  },
);
