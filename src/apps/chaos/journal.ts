/**
 * The journal of a chaos run: what was asked, answered and done, as the acting process saw it. JSON lines, one file per process.
 *
 * Each line is on disk before its writer continues, so a killed process loses at most half a line. Times come from the machine's
 * monotonic clock, which all processes share and no fault can set.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Poison, Target } from './targets.ts';

/** The writer of an entry: a part of the stage, its client, a tool, or the program that injects the faults. */
export type Writer = 'submitter' | 'host' | 'client' | 'tool' | 'chaos';

/** How a call ended, as its caller saw it. */
export interface DeliveredOutcome {
  readonly kind: 'result' | 'error' | 'cancelled' | 'interrupted' | 'expired' | 'timed-out';
  /** The text of the result, or the reason why there is none. */
  readonly text: string;
  readonly code?: string | number;
}

export type JournalBody =
  /** A call was requested. `again`: repeats an earlier request that was not acknowledged. */
  | {
      readonly kind: 'asked';
      readonly callId: string;
      readonly tool: string;
      readonly repeatable: boolean;
      readonly poison?: Poison;
      readonly again?: true;
    }
  /** The end of the call was promised. `taskId` if it is in a store. */
  | { readonly kind: 'acknowledged'; readonly callId: string; readonly taskId?: string }
  /** The call was rejected, so nothing was promised. */
  | { readonly kind: 'refused'; readonly callId: string; readonly code: string }
  | { readonly kind: 'delivered'; readonly callId: string; readonly told: DeliveredOutcome }
  /** The outcome was acknowledged: it must not be delivered again. */
  | { readonly kind: 'taken'; readonly callId: string }
  /** A tool's body starts and ends; a step's body starts, and its value is known to be stored. */
  | (Act & { readonly kind: 'begun' | 'finished' })
  | (Act & { readonly kind: 'step' | 'stepped'; readonly step: string })
  /** `pids`: the processes that the fault hit. `untilAt`: when it was over. */
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
  /** The parent process: an isolated attempt ends with its worker. */
  readonly parent?: number;
}

export type JournalEntry = JournalBody & { readonly at: number; readonly pid: number; readonly by: Writer };

/** The machine's monotonic clock, in ms. */
export function steadyNow(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

export interface Journal {
  /** Synchronous: the line is on disk when this returns. */
  write(body: JournalBody, at?: number): void;
  close(): void;
}

/** Opens this process's journal in the directory that all processes share. */
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

/** Reads all journals of a directory, merged in order of time. */
export function readJournals(directory: string): JournalEntry[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  const entries = files.flatMap((name) => parseJournal(readFileSync(join(directory, name), 'utf8')));
  return entries.sort((a, b) => a.at - b.at);
}

/** Returns the complete lines of a journal; half a line left by a killed process is skipped. */
export function parseJournal(text: string): JournalEntry[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as JournalEntry];
    } catch {
      return [];
    }
  });
}
