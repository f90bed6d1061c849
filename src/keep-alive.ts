const LONG_MS = 2 ** 30;

/** Keeps the process from ending while somebody waits for something; returns the way to let go. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, LONG_MS);
  return () => clearInterval(timer);
}
