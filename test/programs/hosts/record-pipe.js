// @ts-check
/**
 * Runs a server and records what goes by, one line of JSON per message: when, whether it came from the client, and what.
 *
 * node record-pipe.js FILE PROGRAM ARGS…
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file = '', ...program] = process.argv.slice(2);
const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] });

/** @param {NodeJS.ReadableStream} input @param {NodeJS.WritableStream} output @param {boolean} isClient */
function pass(input, output, isClient) {
  const lines = createInterface({ input });
  lines.on('line', (line) => {
    appendFileSync(file, `${JSON.stringify({ at: performance.now(), isClient, message: JSON.parse(line) })}\n`);
    output.write(`${line}\n`);
  });
  lines.on('close', () => output !== process.stdout && output.end());
}

pass(process.stdin, child.stdin, true);
pass(child.stdout, process.stdout, false);
child.stdin.on('error', () => {});
child.on('exit', (code) => process.exit(code ?? 1));
