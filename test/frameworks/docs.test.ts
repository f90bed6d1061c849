import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { inRoot } from '../../scripts/root.mjs';

const EXAMPLES = {
  Hono: ['hono/server.js'],
  Express: ['express/server.js'],
  Fastify: ['fastify/server.js'],
  Next: ['next/reports.mjs', 'next/worker.mjs', 'next/app/mcp/route.js', 'next/next.config.mjs'],
};

/** What stands under a heading. */
async function readSection(heading: string): Promise<string> {
  const text = await readFile(inRoot('docs', 'frameworks.md'), 'utf8');
  return text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '';
}

describe('docs/frameworks.md', () => {
  it.each(Object.entries(EXAMPLES))('[FIRST-211] shows of %s what the example has', async (heading, files) => {
    const blocks = [...(await readSection(heading)).matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
    const sources = await Promise.all(files.map((file) => readFile(inRoot('examples', file), 'utf8')));
    expect(blocks).toHaveLength(files.length);
    for (const [index, block] of blocks.entries()) expect(sources[index]).toContain(block);
  });
});
