const LONG_MS = 2 ** 30;

/** Keeps the process from exiting until the returned function is called. */
export function keepAlive(): () => void {
  const timer = setInterval(() => {}, LONG_MS);
  return () => clearInterval(timer);
}
