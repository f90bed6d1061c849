import { readdirSync, readFileSync } from 'node:fs';

/** Ends the processes of a program that was started for one directory, but one, with SIGKILL. */
export function killServers(program: string, dir: string, spared = 0): number {
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && Number(pid) !== spared);
  const found = pids.filter((pid) => isOne(pid, program, dir));
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  return found.length;
}

function isOne(pid: string, program: string, dir: string): boolean {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return args[1]?.endsWith(`/${program}.js`) === true && args.includes(dir);
  } catch {
    return false;
  }
}
