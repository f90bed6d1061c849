/**
 * Types a page into an empty folder, block by block, as a reader would.
 *
 * - `sh`: each line is run; words in capitals (PID, TASK) are what an earlier line printed
 * - `js`: the first line names the file it is written to
 * - `text`: what the commands before it printed, or what a plain client is told; numbers and ids differ
 * - `json`, `toml`: the configuration of a client
 *
 * A block of any other kind is an error: nothing on such a page is untried.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startByConfig } from './client-config.ts';
import { type Fence, readFences } from './fences.ts';
import type { Desk } from './open-desk.ts';
import { expectLike } from './output-like.ts';
import { handOver } from './plain-call.ts';
import { untilUnderWay } from './reports-store.ts';

/** Whoever looks before the worker is there would look again. */
const LOOK = /^npx holdfast tasks list\b/;
const WORKER = /\(process (\d+)\)/;

/** Typed at a checkout, not in the reader's folder; the gate and the test of a fresh clone run them. */
const CONTRIBUTORS = /^npm (start|test)\b/;

export async function typePage(page: string, desk: Desk): Promise<string[]> {
  const done: string[] = [];
  let screen = '';
  for (const fence of await readFences(page)) {
    done.push(fence.language);
    if (fence.language === 'sh') screen = await typeLines(fence, desk, screen);
    else if (fence.language === 'js') await saveFile(fence, desk);
    else if (fence.language === 'text') await compare(fence, desk, screen);
    else await startByConfig(fence, desk);
  }
  return done;
}

async function typeLines({ text, note }: Fence, desk: Desk, before: string): Promise<string> {
  const word = /^you type: (.*)$/.exec(note)?.[1];
  let screen = '';
  for (const line of text.split('\n').map(withoutComment).filter(Boolean)) {
    if (CONTRIBUTORS.test(line)) continue;
    if (line === 'npm i holdfast zod') await desk.install();
    else {
      screen += await typeLine(fillIn(line, before + screen), desk, word);
    }
  }
  return screen;
}

async function typeLine(line: string, desk: Desk, word: string | undefined): Promise<string> {
  if (word !== undefined) return desk.runAndType(line, word);
  if (LOOK.test(line)) await untilUnderWay(desk);
  return desk.run(line);
}

const withoutComment = (line: string) => line.replace(/\s{2,}# .*$/, '').trim();

function fillIn(line: string, screen: string): string {
  const pid = WORKER.exec(screen)?.[1];
  const filled = line.replace(/\bPID\b/, pid ?? 'PID');
  expect(filled, 'a word that stands for something nobody printed').not.toMatch(/\b(?:PID|TASK|CALL)\b/);
  return filled;
}

async function saveFile({ text }: Fence, { folder }: Desk): Promise<void> {
  const name = /^\/\/ (\S+)$/m.exec(text.split('\n')[0] ?? '')?.[1];
  expect(name, text).toBeDefined();
  await writeFile(join(folder, name ?? ''), text);
}

async function compare({ text, note }: Fence, desk: Desk, screen: string): Promise<void> {
  expectLike(note === 'a plain client sees' ? await handOver(desk) : screen, text);
}
