import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { toServiceEnv } from '../../../engine/workers/worker-process.ts';
import { TaskError } from '../../../errors.ts';
import type { WorkerContext } from './serve-commands.ts';

/**
 * How long the program may take to start its server or engine. After that it exits: it would otherwise go on as one more
 * server.
 */
const START_MS = 120_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Runs a program as a worker in its own process; this command line is also used to run its isolated attempts. */
export async function runWorker({ args: [given = ''], rest }: WorkerContext): Promise<number> {
  const entry = resolve(given);
  if (statSync(entry, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new TaskError(
      'USAGE',
      `ENTRY is ${JSON.stringify(given)}, which is no file; expected the program of a server`,
    );
  }
  const env = { ...process.env, ...toServiceEnv(START_MS) };
  const child = spawn(process.execPath, [...process.execArgv, entry, ...rest], { stdio: 'inherit', env });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  try {
    return await new Promise<number>((done, fail) => {
      child.once('error', fail);
      child.once('exit', (code, signal) => done(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    });
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, pass);
  }
}
