import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { findDeadLinks } from '../docs/links.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string) => readFile(new URL(name, ROOT), 'utf8');

// What fits on two printed pages.
const TWO_PAGES = { lines: 130, words: 1300 };

describe('the documents', () => {
  it('[PKG-13] the README has fewer than 150 lines and names the two commands', async () => {
    const text = await read('README.md');
    expect(text.split('\n').length).toBeLessThan(150);
    expect(text).toContain('npm start');
    expect(text).toContain('npm test');
  });

  it('[PKG-13] ARCHITECTURE.md fits on two pages', async () => {
    const text = await read('ARCHITECTURE.md');
    expect(text.split('\n').length).toBeLessThan(TWO_PAGES.lines);
    expect(text.split(/\s+/).length).toBeLessThan(TWO_PAGES.words);
  });

  it('no document names a path that only one machine has', async () => {
    for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']) {
      expect(await read(name), name).not.toMatch(/(?:^|[\s`(])\/(?:home|Users|work|tmp|root)\//m);
    }
  });

  it.each([
    { uses: /chatos/i, explains: /ChatOS\W+ *(?:is )?a\s+desktop\s+program\s+whose\s+plugins\s+bring\s+MCP\s+servers/ },
    { uses: /muninn/i, explains: /Muninn,? *(?:is )?a\s+memory\s+server\s+for\s+coding\s+agents/ },
    { uses: /\bwks/i, explains: /WKS,? *(?:is )?a\s+program\s+which\s+tracks\s+files\s+and\s+indexes\s+notes/ },
  ])(
    '[FIRST-511] whoever uses words like $uses explains them on the same page, and the glossary does not',
    async (word) => {
      const names = (await readdir(new URL('docs/', ROOT))).filter((name) => name.endsWith('.md'));
      for (const name of ['README.md', ...names.map((one) => `docs/${one}`)]) {
        const text = await read(name);
        // What is made from the program says what its options are called, and nothing else.
        const isMade = text.includes('<!-- Written by ');
        if (word.uses.test(text) && !isMade) expect(text, name).toMatch(word.explains);
      }
      expect(await read('docs/glossary.md')).not.toMatch(word.uses);
    },
  );

  it('[FIRST-507] link only to files that are packed with them, and to headings that are there', async () => {
    const packed = await listPacked();
    expect(packed.has('README.zh-CN.md') && packed.has('docs/story.svg')).toBe(true);
    expect(await findDeadLinks(packed, read)).toEqual([]);
  });

  it('[FIRST-507] a dead file and a dead heading are found', async () => {
    const pages: Record<string, string> = {
      'README.md':
        '# A\n[x](docs/a.md) [y](docs/a.md#two-words) [z](docs/a.md#gone) [w](src/a.ts) [v](https://a.example)',
      'docs/a.md': '# One\n\n## `Two` words\n[up](../README.md#a)\n```\n[no](link)\n```\n',
    };
    const dead = await findDeadLinks(new Set(Object.keys(pages)), async (file) => pages[file] ?? '');
    expect(dead).toEqual(['README.md: docs/a.md#gone', 'README.md: src/a.ts']);
  });

  it('[FIRST-507] what the guarantees name as their proofs is there', async () => {
    const text = await read('docs/guarantees.md');
    const proofs = [...text.matchAll(/`([a-z-]+\/[\w/-]+)`/g)].map(([, name = '']) => `test/${name}.test.ts`);
    expect(proofs.length).toBeGreaterThan(50);
    const sources = [...text.matchAll(/`((?:src|examples)\/[\w/.-]+)`/g)].map(([, name = '']) => name);
    for (const file of new Set([...proofs, ...sources])) expect(existsSync(new URL(file, ROOT)), file).toBe(true);
  });
});

/** What the package has beside its code; `test/real/package` looks into a real one. */
async function listPacked(): Promise<ReadonlySet<string>> {
  const { files } = JSON.parse(await read('package.json')) as { files: string[] };
  const listed = files.filter((name) => name !== 'dist').map(listFiles);
  return new Set((await Promise.all(listed)).flat());
}

async function listFiles(name: string): Promise<string[]> {
  if (!statSync(new URL(name, ROOT)).isDirectory()) return [name];
  return (await readdir(new URL(name, ROOT), { recursive: true })).map((inner) => `${name}/${inner}`);
}
