#!/usr/bin/env node
import { runCommandLine } from './run.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read our output has seen enough, as in `holdfast tasks list | head`.
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Nobody reads our remarks; the exit code still tells.
process.stderr.on('error', () => {});

process.exitCode = await runCommandLine(process.argv.slice(2));
