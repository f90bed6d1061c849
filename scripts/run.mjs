// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { inRoot, root } from './root.mjs';

/** The variable that holds the value of `NODE_EXTRA_CA_CERTS` while tests run: see `test/spare-certificates.ts`. */
export const KEPT_CERTIFICATES = 'HOLDFAST_TEST_CA_CERTS';

/**
 * Turns off garbage collection in compilers and linters written in Go: it takes a quarter of their time, and they exit within
 * seconds. Near the memory limit they collect anyway.
 */
export const WITHOUT_COLLECTING = { GOGC: 'off', GOMEMLIMIT: '2GiB' };

/**
 * Runs a command in the root of the repository with this process's Node first on the PATH.
 *
 * With `quiet` its output is buffered and shown only if it fails; with `onOutput` it is passed on instead of shown.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, env?: NodeJS.ProcessEnv, onOutput?: (part: Buffer) => void }} [options]
 * @returns {Promise<number>} the exit code
 */
export function run(command, args, { quiet = false, env, onOutput } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}` },
      stdio: quiet || onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    /** @type {Buffer[]} */
    const output = [];
    const take = onOutput ?? ((part) => output.push(part));
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output));
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** Runs npm quietly. @param {readonly string[]} args */
export function npm(...args) {
  // Under `npm run` this names the npm that started this process, which need not be the one on the PATH.
  const own = process.env.npm_execpath;
  const [command, first] = own?.endsWith('npm-cli.js') ? [process.execPath, [own]] : ['npm', []];
  return run(command, [...first, ...args], { quiet: true, env: toFetchEnv() });
}

/** The environment for programs that fetch packages; tests run without it. @returns {NodeJS.ProcessEnv} */
export function toFetchEnv() {
  const { [KEPT_CERTIFICATES]: certificates } = process.env;
  return certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates };
}

/** The path of an installed command-line tool. @param {string} name */
export function bin(name) {
  return inRoot('node_modules', '.bin', name);
}
