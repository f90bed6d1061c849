import { readFileSync } from 'node:fs';
import { type ChildNote, openSqliteLedger } from 'holdfast/host';
import { onTestFinished } from 'vitest';
import { isAlive, toProcessRef } from '../../../src/process/process-ref.ts';
import { type Desk, openDesk } from '../open-host.ts';

export interface StubbornDesk {
  readonly desk: Desk;
  /** Pids that stubborn servers noted: their own (`server`), of a `helper`, and of a `daemon`. */
  noted(what?: string): number[];
  /** The children that the ledger knows of. */
  children(): Promise<ChildNote[]>;
}

/** A desk whose stubborn servers, with all they have started, end with the test. */
export async function openStubborn(): Promise<StubbornDesk> {
  const desk = await openDesk();
  const noted = (what = '') =>
    desk.notes().flatMap((line) => (line.startsWith(what) && line !== '' ? [Number(line.split(' ')[1])] : []));
  onTestFinished(() => noted().forEach(end));
  const children = async () => {
    const ledger = openSqliteLedger({ path: desk.ledger });
    const list = await ledger.children?.list();
    await ledger.close();
    return list ?? [];
  };
  return { desk, noted, children };
}

/** Whether that pid is still of one that a stubborn server noted, and not of another process that got it since. */
export function isRunning(pid: number): boolean {
  try {
    return OURS.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')) && isAlive(toProcessRef(pid)) === true;
  } catch {
    return false;
  }
}

const OURS = /stubborn-server|^sleep\0/;

function end(pid: number): void {
  try {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
