import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
  linux: ['xdg-open'],
};

/** Opens a URL in the user's browser; on failure `onFailed` is called with the reason. */
export function openBrowser(url: string, onFailed: (why: string) => void): void {
  const [command, ...args] = OPENERS[process.platform] ?? [];
  if (command === undefined) {
    onFailed('this system has no command for it');
    return;
  }
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', ({ message }) => onFailed(message));
  child.unref();
}
