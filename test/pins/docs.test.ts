import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

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
});
