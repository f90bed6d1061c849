// @ts-check

/** Works for a while, and stops when it is told to. @param {number} ms @param {AbortSignal} signal */
export function workFor(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
