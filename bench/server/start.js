// @ts-check
/** How soon does a server on stdio respond, measured from its spawn, compared with the bare SDK 2.x with the same tool? */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { interleave, toMedian, toRatio } from '../measure.js';
import { isQuick, print } from '../report.js';
import { withTempDir } from '../temp-dir.js';

const ROUNDS = isQuick ? 1 : 15;
const PROGRAMS = { holdfast: 'start-holdfast.js', sdk: 'server-sdk-plain.js' };
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

await withTempDir(async (dir) => {
  for (const [what, aim] of /** @type {const} */ ([
    ['initialize', '<=1.15'],
    ['tools/list', undefined],
  ])) {
    const run = (/** @type {keyof typeof PROGRAMS} */ side) => () => toAnswerMs(PROGRAMS[side], { dir, what });
    const figures = await interleave(ROUNDS, { holdfast: run('holdfast'), sdk: run('sdk') });
    print({
      bench: 'start',
      what,
      ...toRatio(figures.holdfast, figures.sdk),
      ...(aim && { aim }),
      answerMs: toMedian(figures.holdfast),
      sdkMs: toMedian(figures.sdk),
      rounds: ROUNDS,
    });
  }
});

/**
 * The time from the spawn of a server to its response, in ms.
 *
 * @param {string} program
 * @param {{ dir: string, what: 'initialize' | 'tools/list' }} options
 * @returns {Promise<number>}
 */
async function toAnswerMs(program, { dir, what }) {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const begunAt = performance.now();
  const child = spawn(process.execPath, [path, dir, 'stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, HOLDFAST_DIR: dir },
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (/** @type {object} */ message) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })}\n`);
    const { result, error } = JSON.parse((await lines.next()).value);
    if (!result) throw new Error(`${program}: ${error?.message}`);
  };
  await ask({ method: 'initialize', params: CLIENT });
  if (what === 'tools/list') await ask({ method: 'tools/list' });
  const ms = performance.now() - begunAt;
  child.stdin.end();
  await ended;
  return ms;
}
