/** Hosts for tests, and the servers they call. */

import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallOutcome, type CallUpdate, createHost, type Host, type HostOptions } from 'holdfast/host';
import { until } from 'holdfast/testing';
import { onTestFinished } from 'vitest';
import { programPath } from '../programs/program-path.js';
import { readLines } from '../read-lines.ts';
import type { AtEnd } from '../shared-rig.ts';

const toPath = (program: string) => programPath(`${program}.js`);

export interface ProgramSpec {
  readonly command: string;
  readonly args: string[];
  /** The mark by which processes are found that a test has left behind. */
  readonly passEnv: readonly string[];
}

/** A directory with a ledger, where servers find their gates and note their runs. */
export interface Desk {
  readonly dir: string;
  readonly ledger: string;
  /** Opens a host on the ledger; it is closed when the test ends. */
  host(options?: HostOptions): Promise<Host>;
  /** How a program of ours is started on stdio. */
  command(program: string, ...args: string[]): ProgramSpec;
  /** The same as a server of the older era. */
  legacy(program: string, ...args: string[]): ProgramSpec;
  open(gate: string): Promise<void>;
  /** Lines that servers noted. */
  notes(file?: string): string[];
  untilNoted(line: string): Promise<void>;
  /** What hosts reported so far; whatever nobody takes fails no test, but is shown by it. */
  readonly errors: unknown[];
}

export async function openDesk({ atEnd = onTestFinished }: { readonly atEnd?: AtEnd } = {}): Promise<Desk> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-host-'));
  const hosts: Host[] = [];
  const errors: unknown[] = [];
  atEnd(async () => {
    await Promise.all(hosts.map((host) => host.close()));
    // A worker that outlives its server may still be writing.
    await until(() => rm(dir, { recursive: true, force: true }).then(() => true), { timeoutMs: 60_000 });
  });
  const command = (program: string, ...args: string[]) => ({
    command: process.execPath,
    args: [toPath(program), ...args],
    passEnv: ['HOLDFAST_TEST_FILE'],
  });
  const notes = (file = 'runs.txt') => readLines(join(dir, file));
  await appendFile(join(dir, 'runs.txt'), '');
  return {
    dir,
    ledger: join(dir, 'ledger', 'host.db'),
    async host(options = {}) {
      const onError = (error: unknown) => void errors.push(error);
      const host = await createHost({ ledger: join(dir, 'ledger', 'host.db'), onError, ...options });
      hosts.push(host);
      return host;
    },
    command,
    legacy: (program, ...args) => command('host-legacy-pipe', toPath(program), ...args),
    open: (gate) => writeFile(join(dir, `open-${gate}`), ''),
    notes,
    async untilNoted(line) {
      await until(() => notes().includes(line), { what: `the note ${line}`, timeoutMs: 60_000 });
    },
    errors,
  };
}

/** The text of a result, or how the call ended otherwise. */
export function textOf(outcome: CallOutcome): string {
  if (outcome.kind !== 'result') return JSON.stringify(outcome);
  const [first] = outcome.result.content as unknown as { text?: string }[];
  return first?.text ?? '';
}

export async function collect(updates: AsyncIterable<CallUpdate>): Promise<CallUpdate[]> {
  const list: CallUpdate[] = [];
  for await (const update of updates) list.push(update);
  return list;
}
