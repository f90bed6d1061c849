/**
 * One run at a time in a window, in order of submission, across processes.
 *
 * Every run that waits has a ticket, a file in the window's directory. Its name begins with the time of submission, as
 * task ids do, and with the turn in which this process took the task up, which tells those of one millisecond apart. The
 * first ticket may take the window's lock. A ticket stays when its process dies: the task is run again and keeps its
 * place. One whose task never comes back is passed over after a while.
 */
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLockFile } from '../../process/file-lock.ts';
import { currentProcess, isAlive, type ProcessRef } from '../../process/process-ref.ts';

export interface QueuedRun {
  /** The window's own directory. */
  readonly directory: string;
  readonly taskId: string;
  readonly signal: AbortSignal;
}

const LOCK = 'lock';
/** How much of a task id is the time it was made. */
const TIME_LENGTH = 10;
const LOOK_MS = 100;
/** How long a place is kept for a run whose process died; its task is taken up again within seconds. */
const KEEP_PLACE_MS = 15_000;
/** A lock that is held from where its holder cannot be seen counts as left when it is not touched. */
const TOUCH_MS = 20_000;

interface Waiter {
  readonly ticket: string;
  go(leave: () => Promise<void>): void;
}

/** Those of this process who wait for one window, in order; one loop looks for all of them. */
interface Line {
  readonly waiters: Waiter[];
  isServed: boolean;
}

const lines = new Map<string, Line>();
let numbers = 0;
/** Tickets are written one after the other: nobody gets a window before those who came first are in line. */
let lastTicket: Promise<unknown> = Promise.resolve();

/**
 * Resolves when it is this run's turn, with the way to end it. Rejects with the signal's reason.
 *
 * Tasks are taken up in the order of submission, so this is to be called first thing.
 */
export async function awaitTurn(run: QueuedRun): Promise<() => Promise<void>> {
  const { directory, signal } = run;
  const number = ++numbers;
  const writing = lastTicket.catch(() => {}).then(() => writeTicket(run, number));
  lastTicket = writing;
  const ticket = await writing;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const line = lines.get(directory) ?? { waiters: [], isServed: false };
    lines.set(directory, line);
    const waiter: Waiter = { ticket, go: resolve };
    line.waiters.push(waiter);
    line.waiters.sort((a, b) => (a.ticket < b.ticket ? -1 : 1));
    // The ticket stays: a task that is handed back keeps its place, and the end of a task removes it.
    const leave = () => {
      const at = line.waiters.indexOf(waiter);
      if (at !== -1) line.waiters.splice(at, 1);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    serve(directory, line).catch(reject);
  });
}

/** Takes the ticket of a task that has ended away. */
export async function dropTicket(directory: string, taskId: string): Promise<void> {
  for (const ticket of await findTickets(directory, taskId)) await rm(join(directory, ticket), { force: true });
}

async function writeTicket({ directory, taskId }: QueuedRun, number: number): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const fresh = `${taskId.slice(0, TIME_LENGTH)}-${String(number).padStart(10, '0')}-${taskId}`;
  const ticket = (await findTickets(directory, taskId))[0] ?? fresh;
  await writeFile(join(directory, ticket), JSON.stringify(currentProcess()), { mode: 0o600 });
  return ticket;
}

async function findTickets(directory: string, taskId: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith(`-${taskId}`)).sort();
}

async function serve(directory: string, line: Line): Promise<void> {
  if (line.isServed) return;
  line.isServed = true;
  const strangers = new Map<string, number>();
  try {
    while (line.waiters.length > 0) {
      const [first] = line.waiters;
      if (first && (await isFirst(directory, first.ticket, strangers)) && (await admit(directory, line, first))) return;
      await pause(LOOK_MS);
    }
    lines.delete(directory);
  } finally {
    line.isServed = false;
  }
}

/** Whether the run got the window; its end lets the next one look at once. */
async function admit(directory: string, line: Line, first: Waiter): Promise<boolean> {
  const lock = join(directory, LOCK);
  if (!(await takeLockFile(lock))) return false;
  const at = line.waiters.indexOf(first);
  // Broken off meanwhile.
  if (at === -1) {
    await rm(lock, { force: true });
    return false;
  }
  line.waiters.splice(at, 1);
  const touching = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now).catch(() => {});
  }, TOUCH_MS);
  touching.unref();
  first.go(async () => {
    clearInterval(touching);
    await rm(join(directory, first.ticket), { force: true });
    await rm(lock, { force: true });
    serve(directory, line).catch(() => {});
  });
  return true;
}

async function isFirst(directory: string, ours: string, strangers: Map<string, number>): Promise<boolean> {
  const tickets = (await readdir(directory)).filter((name) => !name.startsWith(LOCK) && name < ours);
  for (const ticket of tickets) if (await isHonoured(directory, ticket, strangers)) return false;
  return true;
}

async function isHonoured(directory: string, ticket: string, strangers: Map<string, number>): Promise<boolean> {
  const text = await readFile(join(directory, ticket), 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  if (isHeld(text)) {
    strangers.delete(ticket);
    return true;
  }
  const since = strangers.get(ticket) ?? performance.now();
  strangers.set(ticket, since);
  if (performance.now() - since < KEEP_PLACE_MS) return true;
  await rm(join(directory, ticket), { force: true });
  return false;
}

function isHeld(text: string): boolean {
  try {
    return isAlive(JSON.parse(text) as ProcessRef) !== false;
  } catch {
    return false;
  }
}
