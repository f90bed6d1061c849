const STARTERS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];

/** Replaces the functions of `node:child_process` that start a process with ones that throw. */
export function refuseProcesses(children: object): void {
  for (const name of STARTERS) {
    const refuse = () => {
      throw new Error(`child_process.${name} was called; expected none of it in a pure test`);
    };
    Object.assign(children, { [name]: refuse });
  }
}
