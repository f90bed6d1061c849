import { readdir, readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';

const images = new URL('../../docs/images/', import.meta.url);
const LARGEST = 800_000;

it('[SAND-320] every screen has its four pictures, which are small together and all shown', async () => {
  const files = (await readdir(images)).filter((file) => file.startsWith('sandbox-')).sort();
  const looks = ['en-dark', 'en-light', 'zh-dark', 'zh-light'];
  const screens = ['calls', 'prompts', 'run', 'story', 'tasks', 'test', 'workers'];
  expect(files).toEqual(screens.flatMap((screen) => looks.map((look) => `sandbox-${screen}-${look}.webp`)));
  const sizes = await Promise.all(files.map(async (file) => (await stat(new URL(file, images))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(LARGEST);
  const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
  expect(files.filter((file) => !page.includes(`images/${file}`))).toEqual([]);
});

it('[SAND-321] each colour is written once: no style but the first table names one by its theme', async () => {
  const styles = new URL('../../web/src/styles/', import.meta.url);
  for (const file of await readdir(styles)) {
    const text = await readFile(new URL(file, styles), 'utf8');
    expect(text).not.toMatch(/prefers-color-scheme/);
    const names = [...text.matchAll(/^\s*(--[\w-]+): light-dark\(/gm)].map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    if (file === 'base.css') expect(names.length).toBeGreaterThan(25);
    else expect(names).toEqual([]);
  }
});
