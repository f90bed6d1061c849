/** Whatever is done to a log, each result is found once and is the right one. */
import { appendFile, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { createFakeClock, until } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { takeMark } from '../../../src/dialects/ui-prompts/log/log-mark.ts';
import type { WaitOptions } from '../../../src/dialects/ui-prompts/log/log-reader.ts';
import { openLog, type TestLog, toOtherLine, toResultLine } from './open-log.ts';

type Step =
  | { readonly do: 'result'; readonly pieces: number }
  | { readonly do: 'other'; readonly size: number }
  | { readonly do: 'garbage' | 'rotate' | 'rewrite' | 'shrink' | 'look' };

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('result' as const), pieces: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('other' as const), size: fc.integer({ min: 0, max: 3000 }) }) },
    { arbitrary: fc.record({ do: fc.constantFrom('garbage', 'rotate', 'rewrite', 'shrink', 'look') }), weight: 4 },
  ),
  { minLength: 1, maxLength: 25 },
) as fc.Arbitrary<Step[]>;

it('[UIP-11] no result is lost or doubled by appends, splits, rotations, rewrites and cuts', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (all, isWatching) => {
      const log = await openLog();
      // Without watching nobody looks until time moves, so whole rewrites fall between two looks.
      const clock = createFakeClock();
      const options = isWatching ? {} : { isWatching, clock };
      const count = all.filter((step) => step.do === 'result').length;
      const seen: unknown[][] = Array.from({ length: count }, () => []);
      for (const [index, texts] of seen.entries()) {
        void log.text(`keep-${index}`, options).then((text) => texts.push(text));
      }
      await run(log, all, options);
      await until(async () => {
        await clock.advance(200);
        return seen.every((texts) => texts.length > 0);
      });
      expect(seen).toEqual(seen.map((_, index) => [toText(index)]));
    }),
    { numRuns: 100 },
  );
});

async function run(log: TestLog, all: readonly Step[], options: Partial<WaitOptions>): Promise<void> {
  let results = 0;
  let rotations = 0;
  await writeFile(log.path, '');
  for (const [index, step] of all.entries()) {
    if (step.do === 'result') await appendPieces(log, toResultLine(`keep-${results}`, toText(results++)), step.pieces);
    else if (step.do === 'other') await log.append(toOtherLine(index, step.size));
    else if (step.do === 'garbage') await log.append('{"requestId":"keep-0", broken\n\n');
    else if (step.do === 'rotate') await rotate(log, ++rotations);
    else if (step.do === 'rewrite') await rewrite(log);
    else if (step.do === 'shrink') await shrink(log);
    else {
      await log.append(toResultLine(`look${index}`, ''));
      // Whoever comes has the reader look at once.
      await log.wait(`look${index}`, options);
    }
  }
}

/** Cuts anywhere, also within characters. */
async function appendPieces(log: TestLog, line: string, pieces: number): Promise<void> {
  const bytes = Buffer.from(line);
  const length = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += length) await appendFile(log.path, bytes.subarray(at, at + length));
}

async function rotate(log: TestLog, number: number): Promise<void> {
  await rename(log.path, `${log.path}.${number}`);
  await writeFile(log.path, '');
}

/** Drops the lines of others, as a tool that caps the log does; the file may grow past the old length at once. */
async function rewrite(log: TestLog): Promise<void> {
  const lines = (await readFile(log.path, 'utf8')).split('\n').filter((line) => line.includes('keep-'));
  await writeFile(log.path, lines.map((line) => `${line}\n`).join('') + toOtherLine(1, 4000));
}

/** Removes the end, but only lines of others. */
async function shrink(log: TestLog): Promise<void> {
  const text = await readFile(log.path, 'utf8');
  const kept = text.lastIndexOf('keep-');
  const end = kept === -1 ? 0 : text.indexOf('\n', kept) + 1;
  await truncate(log.path, Buffer.byteLength(text.slice(0, end)));
}

function toText(index: number): string {
  return `结果 ${index} 😊 ${'é'.repeat(index * 7)}`;
}

const NAMES = ['jsonl.1', 'jsonl.old', 'jsonl.bak', 'jsonl-20300101', 'jsonl.2030-01-01', '1.jsonl', '20300101.jsonl'];

it.each(NAMES)('[SEC-127] a log that was renamed to ui-prompts.%s while nobody looked is found', async (name) => {
  for (const isNew of [false, true]) {
    const log = await openLog();
    if (!isNew) await log.append(toOtherLine(1));
    // Without a file there is no mark to know it by; then its name must do.
    const mark = await takeMark(log.path);
    await log.append(toResultLine('gone', 'renamed'));
    await rename(log.path, join(log.folder, `ui-prompts.${name}`));
    expect(await log.text('gone', { mark }), 'nothing in its place').toBe('renamed');
    await log.append(toOtherLine(2));
    expect(await log.text('gone', { mark }), 'another log in its place').toBe('renamed');
  }
});

it('[SEC-127] a log is known by its id under any name', async () => {
  const log = await openLog();
  await log.append(toOtherLine(1));
  const mark = await takeMark(log.path);
  await log.append(toResultLine('gone', 'renamed'));
  await rename(log.path, join(log.folder, 'moved away'));
  await log.append(toOtherLine(2));
  expect(await log.text('gone', { mark })).toBe('renamed');
});
