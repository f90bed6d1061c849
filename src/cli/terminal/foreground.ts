import { readFileSync } from 'node:fs';

/** Whether this process is in the terminal's foreground process group; `holdfast … &` is not. */
export function isForeground(): boolean {
  if (process.platform === 'win32') return true;
  try {
    const [group, listening] = process.platform === 'linux' ? readProc() : askPs();
    return group === listening;
  } catch {
    return false;
  }
}

// Fields 5 and 8 of proc(5). The name in field 2 may hold any characters, so counting starts after it.
function readProc(): [string | undefined, string | undefined] {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[2], fields[5]];
}

function askPs(): [string | undefined, string | undefined] {
  // Loaded lazily: it would slow down every command, and only some systems need it.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  const line = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  const [group, listening] = line.trim().split(/\s+/);
  return [group, listening];
}
