/**
 * What was asked, answered and done, as those who did it saw it: lines of JSON, one file per process.
 *
 * Every line is on disk before its writer goes on, so a killed process leaves all it did but at most half a line.
 * Times are those of the machine's steady clock, which all processes share and no fault can set.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Poison, Target } from './targets.ts';

/** Whoever writes: a part of the stage, its client, a tool, or whoever makes the faults. */
export type Writer = 'submitter' | 'host' | 'client' | 'tool' | 'chaos';

/** How a call ended for the one who waited for it. */
export interface Told {
  readonly kind: 'result' | 'error' | 'cancelled' | 'interrupted' | 'expired' | 'timed-out';
  /** The result's text, or why there is none. */
  readonly text: string;
  readonly code?: string | number;
}

export type JournalBody =
  /** Somebody wants a call made. `again`: as before, because no acknowledgement came. */
  | {
      readonly kind: 'asked';
      readonly callId: string;
      readonly tool: string;
      readonly repeatable: boolean;
      readonly poison?: Poison;
      readonly again?: true;
    }
  /** It was promised that the call will end. `taskId` when a store has it. */
  | { readonly kind: 'acknowledged'; readonly callId: string; readonly taskId?: string }
  /** Nothing was promised. */
  | { readonly kind: 'refused'; readonly callId: string; readonly code: string }
  | { readonly kind: 'delivered'; readonly callId: string; readonly told: Told }
  /** The outcome has been taken for good: it may not come again. */
  | { readonly kind: 'taken'; readonly callId: string }
  /** A tool's body begins and ends; a step's body begins, and its value is known to be kept. */
  | (Act & { readonly kind: 'begun' | 'finished' })
  | (Act & { readonly kind: 'step' | 'stepped'; readonly step: string })
  /** `pids`: the processes it was done to. `untilAt`: when it was over. */
  | {
      readonly kind: 'fault';
      readonly fault: string;
      readonly target: Target;
      readonly pids: readonly number[];
      readonly untilAt: number;
      readonly poison?: Poison;
    };

interface Act {
  readonly callId: string;
  readonly taskId: string;
  readonly attempt: number;
  /** The process that started this one: an attempt in a process of its own ends with its worker. */
  readonly parent?: number;
}

export type JournalEntry = JournalBody & { readonly at: number; readonly pid: number; readonly by: Writer };

/** The steady clock of the machine, in ms. */
export function steadyNow(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

export interface Journal {
  /** Resolves nothing: the line is on disk when this returns. */
  write(body: JournalBody, at?: number): void;
  close(): void;
}

/** Opens the journal of this process in a directory that all share. */
export function openJournal(directory: string, by: Writer): Journal {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = openSync(join(directory, `${by}-${process.pid}.jsonl`), 'a', 0o600);
  return {
    write(body, at = steadyNow()) {
      writeSync(file, `${JSON.stringify({ at, pid: process.pid, by, ...body })}\n`);
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

/** All journals of a directory as one, in order of time. */
export function readJournals(directory: string): JournalEntry[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  const entries = files.flatMap((name) => parseJournal(readFileSync(join(directory, name), 'utf8')));
  return entries.sort((a, b) => a.at - b.at);
}

/** The whole lines of a journal; what a killed process wrote half is left out. */
export function parseJournal(text: string): JournalEntry[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as JournalEntry];
    } catch {
      return [];
    }
  });
}
