import { spawn } from 'node:child_process';

export interface Command {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Ended {
  readonly code: number | null;
  /** What it wrote to stdout and stderr, in the order it arrived. */
  readonly output: string;
}

/** Runs a command to its end. */
export async function runCommand([file = '', ...args]: readonly string[], options: Command = {}): Promise<Ended> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, output };
}
