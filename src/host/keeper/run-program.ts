/**
 * Starts the server of a keeper beside it, so that both load in parallel: the keeper inherits the ends of its pipes.
 *
 * The server gets a session of its own. It outlives the host that started it, and receives no signals from a terminal.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { toChildEnvironment } from '../../process/child-environment.ts';
import { getDefaultEnvironment } from '../../process/default-environment.ts';
import { MARK_VARIABLE } from '../../process/marked-processes.ts';
import type { StdioSpec } from '../transports/server-spec.ts';

export interface RunningProgram {
  readonly pid: number;
  /** Its stdin, stdout and stderr, to be inherited by one other process. */
  readonly pipes: readonly Duplex[];
  /** Closes the pipes here once another process has inherited them. */
  letGo(): void;
  kill(): void;
}

/** Throws the error of the system when the program cannot be started. */
export async function runProgram(spec: StdioSpec, mark: string): Promise<RunningProgram> {
  const { command, args = [], cwd } = spec;
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    env: { ...getDefaultEnvironment(), ...toChildEnvironment(spec), [MARK_VARIABLE]: mark },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  const { pid } = child;
  if (pid === undefined) throw (await once(child, 'error'))[0];
  child.on('error', () => {});
  child.unref();
  const pipes = child.stdio.slice(0, 3) as Duplex[];
  return { pid, pipes, letGo: () => letGoOf(pipes), kill: () => void child.kill('SIGKILL') };
}

function letGoOf(pipes: readonly Duplex[]): void {
  for (const pipe of pipes) pipe.destroy();
}
