/** Where one crash happens: a folder for what its programs leave, and a store of their own, wherever that is. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { assertKilled, type CrashSite, pick, type Ran, readRecords, startProgram, withDirectory } from './judge.ts';

/** Both sides of a commit. */
export const SIDES = ['before', 'after'] as const;

/** Every case on both sides of its commit, in such an order that whoever takes every second has both sides by turns. */
export function onBothSides<T extends object>(cases: readonly T[]) {
  return cases.flatMap((one, index) => {
    const sides = index % 2 === 0 ? SIDES : SIDES.toReversed();
    return sides.map((side) => ({ ...one, side }));
  });
}

/** Which cases of a table are tried. */
export type Choose = <T>(cases: readonly T[]) => readonly T[];

/** Leads programs to a store that nobody else uses. */
export type ToEnv = () => NodeJS.ProcessEnv;

/** Without an environment the store is a file in the folder. */
export async function withSite(toEnv: ToEnv | undefined, run: (site: CrashSite) => Promise<void>): Promise<void> {
  await withDirectory(async (dir) => {
    await run({ dir, ...(toEnv && { env: toEnv() }) });
    // A program that did not read where its store is would prove nothing.
    expect(existsSync(join(dir, 'tasks.db'))).toBe(toEnv === undefined);
  });
}

export async function runAt({ dir, env }: CrashSite, program: string, ...args: readonly string[]): Promise<Ran> {
  return startProgram(program, [dir, ...args], env).ended;
}

/** Runs a program that must come to its crash point. */
export async function dieAt(site: CrashSite, program: string, ...args: readonly string[]): Promise<void> {
  assertKilled(await runAt(site, program, ...args));
}

/** What the programs have noted under this word. */
export function readNotes({ dir }: CrashSite, word: string): string[][] {
  return pick(readRecords(join(dir, 'journal.txt')), word);
}
