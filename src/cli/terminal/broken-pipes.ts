/** Lets a program end in order when nobody reads what it prints. */
export function tolerateBrokenPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read our output has seen enough, as in `holdfast tasks list | head`.
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  // Nobody reads our remarks; the exit code still tells.
  process.stderr.on('error', () => {});
}
