/** Lets a program exit cleanly when the reader of its output goes away. */
export function tolerateBrokenPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as in `holdfast tasks list | head`.
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  // Remarks that nobody reads are dropped; the exit code still reports the outcome.
  process.stderr.on('error', () => {});
}
