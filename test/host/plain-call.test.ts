/** What one plain call of a plain server takes, as a process of its own has measured it. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { runProgram } from '../crash/judge.ts';
import { openDesk } from './open-host.ts';

interface Measured {
  readonly outcome: unknown;
  /** Files of the package that were loaded. */
  readonly loaded: readonly string[];
  /** Those in which a function ran between the call and its outcome. */
  readonly passed: readonly string[];
}

async function measure(): Promise<Measured> {
  const { dir } = await openDesk();
  const { stdout, stderr } = await runProgram('host-of-plain', dir);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Measured;
}

it('[ROOMS-124] a plain call of a plain server loads no more of the dialects than says that it is none of theirs', async () => {
  const { outcome, loaded } = await measure();
  expect(outcome).toMatchObject({ kind: 'result', isError: false });
  const unneeded =
    /host-follow|host-prepare|ui-prompts\/(?:log\/|plugin|async-task)|cancel-tool|^(?:engine|store|server)\//;
  expect(loaded.filter((file) => unneeded.test(file))).toEqual([]);
  expect(loaded).toContain('dialects/ui-prompts/host-half.ts');
});

it('[ROOMS-125] a call over stdio passes at most 25 files of the host, which ARCHITECTURE.md draws in their rooms', async () => {
  const { passed } = await measure();
  const stops = passed.filter((file) => file.startsWith('host/')).map((file) => file.slice('host/'.length));
  expect(stops.length).toBeLessThanOrEqual(25);
  expect([...stops].sort()).toEqual([...(await readDrawn())].sort());
});

/** The files of the picture, with their rooms. */
async function readDrawn(): Promise<readonly string[]> {
  const text = await readFile(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
  const picture = /## One call of a host\s+```mermaid([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const boxes = [...picture.matchAll(/\["([^"]+)"\]/g)].map(([, box = '']) => box.split('<br>'));
  return boxes.flatMap(([first = '', ...files]) => {
    if (first.startsWith('dialects/')) return [];
    return first.endsWith('/') ? files.map((file) => `${first}${file}`) : [first, ...files];
  });
}
