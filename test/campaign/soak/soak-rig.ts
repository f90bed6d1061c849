import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runSoak, type SoakRun } from '../../../src/campaign/soak/run-soak.ts';
import type { Command } from '../../../src/cli/command-line/command.ts';
import type { OptionTable } from '../../../src/cli/command-line/option.ts';
import { parseWords } from '../../../src/cli/command-line/parse.ts';
import {
  closure as closureCommand,
  soak as soakCommand,
} from '../../../src/cli/commands/campaigns/campaign-commands.ts';
import { parseClosure, parseSoak } from '../../../src/cli/commands/campaigns/parse-soak.ts';
import { programPath } from '../../programs/program-path.js';

const PROGRAM = programPath('soak-server.js');
const ECHO = ['--tool', 'echo', '--arguments', '{"text":"{call}"}', '--answer', '{call}'];
/** Children are told apart by it when a test file ends. */
const MARK = ['--pass-env', 'HOLDFAST_TEST_FILE'];

/** The words of a command line against the foreign server in one of its modes. */
export function toLine(command: 'soak' | 'closure', mode: string, options: readonly string[] = []): string[] {
  return [command, ...ECHO, ...MARK, ...options, '--', process.execPath, PROGRAM, ...mode.split(' ')];
}

/** Soaks the foreign server in one of its modes, as a command line would. */
export function soak(mode: string, ...options: string[]): Promise<SoakRun> {
  return runSoak(readSoak(toLine('soak', mode, options)), 'test');
}

export function readSoak(words: readonly string[]): ReturnType<typeof parseSoak> {
  const { values, rest } = readRun(soakCommand, words);
  return parseSoak(values, rest);
}

export function readClosure(words: readonly string[]): ReturnType<typeof parseClosure> {
  const { values, rest } = readRun(closureCommand, words);
  return parseClosure(values, rest);
}

export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-soak-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

function readRun<Options extends OptionTable>(command: Command<Options>, words: readonly string[]) {
  const request = parseWords(command, words);
  if (request.kind !== 'run') throw new Error(`not a command: ${words.join(' ')}`);
  return request;
}
