// @ts-check
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fetchNode } from './fetch-node.mjs';
import { fetchTool } from './fetch-tool.mjs';

const SUITE = { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' };

/** The suite does not start on an older Node. */
const NODE_MAJOR = 22;

/**
 * One check of the official conformance suite.
 *
 * @typedef {object} Check
 * @property {string} scenario
 * @property {string} id
 * @property {'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'} status
 * @property {string} message what went wrong, or ''
 */

/** Fetches the official conformance suite and a Node that can run it; throws if they cannot be fetched. */
export async function fetchSuite() {
  const [node, folder] = await Promise.all([fetchNode(NODE_MAJOR), fetchTool(SUITE)]);
  return { node, entry: join(folder, 'node_modules', SUITE.name, 'dist', 'index.js') };
}

/**
 * Runs the suite against a server and returns its checks.
 *
 * @param {string} url
 * @param {readonly string[]} args the scenarios to run, as arguments of the suite's command line
 * @returns {Promise<Check[]>}
 */
export async function runSuite(url, args) {
  const { node, entry } = await fetchSuite();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-conformance-'));
  try {
    const output = await runToEnd(node, [entry, 'server', '--url', url, '--output-dir', folder, ...args]);
    const checks = await readChecks(folder);
    if (checks.length === 0) throw new Error(`the conformance suite found nothing to check:\n${output}`);
    return checks;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Ignores the exit code: it says only that some check failed, and the checks say which.
 * @param {string} command @param {string[]} args
 */
async function runToEnd(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return out + err;
}

/** @param {string} folder */
async function readChecks(folder) {
  const runs = await readdir(folder);
  return (await Promise.all(runs.map((run) => readRun(folder, run)))).flat();
}

/** @param {string} folder @param {string} run `server-<scenario>-<time>` @returns {Promise<Check[]>} */
async function readRun(folder, run) {
  const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(run)?.[1];
  if (scenario === undefined) throw new Error(`the conformance suite left ${run}, which names no scenario`);
  const checks = JSON.parse(await readFile(join(folder, run, 'checks.json'), 'utf8'));
  return checks.map((/** @type {{ id: string, status: Check['status'], errorMessage?: string }} */ check) => ({
    scenario,
    id: check.id,
    status: check.status,
    message: check.errorMessage ?? '',
  }));
}
