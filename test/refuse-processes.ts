const STARTERS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];

/** Takes from `node:child_process` whatever starts a process. */
export function refuseProcesses(children: object): void {
  for (const name of STARTERS) {
    const refuse = () => {
      throw new Error(`child_process.${name} was called; expected none of it in a pure test`);
    };
    Object.assign(children, { [name]: refuse });
  }
}
