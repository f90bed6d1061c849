import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { drawStory } from '../../scripts/picture/draw-story.mjs';
import { readFences } from './fences.ts';
import { expectLike } from './output-like.ts';

const LARGEST = 20_000;

/** The lines of a kind, without the ones that only pass by. */
function readLines(svg: string, kind: 'command' | 'output'): string {
  const texts = [
    ...svg.matchAll(new RegExp(`<text id="\\w+" class="${kind}"[^>]*>(?:<tspan.*?</tspan>)?(.*?)</text>`, 'g')),
  ];
  return texts.map(([, text = '']) => text.replaceAll('&gt;', '>').replaceAll('&amp;', '&')).join('\n');
}

it('[FIRST-506] the picture shows the commands of the README and what they print, and is small', async () => {
  const svg = await readFile(new URL('../../docs/story.svg', import.meta.url), 'utf8');
  const fences = await readFences('README.md');
  const toText = (language: string) => fences.filter((fence) => fence.language === language && fence.note === '');
  const typed = toText('sh').flatMap(({ text }) => text.split('\n'));
  const commands = typed.filter((line) => !line.startsWith('npm '));
  expectLike(readLines(svg, 'command'), commands.join('\n').replace('PID', '1'));
  const [listed = '', resumed = ''] = toText('text').map(({ text }) => text);
  expectLike(readLines(svg, 'output'), `${listed}…\n${resumed.trim().split('\n').at(-1)}\n`);
  expect(svg.length).toBeLessThan(LARGEST);
  expect(svg).not.toMatch(/<script|href=/);
});

it('[FIRST-506] each line appears in its time, and a line that passes by goes', () => {
  const svg = drawStory(
    [
      { kind: 'command', text: 'a < b & c', at: 0, row: 0 },
      { kind: 'output', text: 'Page 1', at: 1000, row: 1, until: 2500 },
      { kind: 'output', text: 'done', at: 5000, row: 1 },
    ],
    { title: 'T', description: 'D' },
  );
  expect(svg).toContain('a &lt; b &amp; c</text>');
  expect(svg).toContain('@keyframes k1 { 0% { opacity: 0; } 10.0% { opacity: 1; } 25.0% { opacity: 0; } }');
  expect(svg).toContain('@keyframes k2 { 0% { opacity: 0; } 50.0% { opacity: 1; } }');
  expect(svg).toContain('class="output passing"');
});
