// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { inRoot, root } from './root.mjs';

/**
 * Runs a command in the root of the repository with this very Node first on the PATH.
 *
 * With `quiet` its output is kept back and shown only when it fails; with `onOutput` it is handed over instead of shown.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, onOutput?: (part: Buffer) => void }} [options]
 * @returns {Promise<number>} the exit code
 */
export function run(command, args, { quiet = false, onOutput } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}` },
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
  // Under `npm run` this names the npm that started us, which need not be the one on the PATH.
  const own = process.env.npm_execpath;
  const [command, first] = own?.endsWith('npm-cli.js') ? [process.execPath, [own]] : ['npm', []];
  return run(command, [...first, ...args], { quiet: true });
}

/** The path of an installed command-line tool. @param {string} name */
export function bin(name) {
  return inRoot('node_modules', '.bin', name);
}
