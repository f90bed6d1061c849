// @ts-check
/**
 * The story that `npm start` plays: five tasks on a real store, a worker that is killed in the middle, and every outcome
 * delivered once. It exits with 0 only if all of that really happened.
 *
 * The detached worker runs this same program again; the first `if` keeps it from running the rest.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isWorker } from 'holdfast';
import { Board } from './board.js';
import { playStory } from './plot.js';
import { createScreen } from './screen.js';
import { closeStage, openStage } from './stage.js';

/** The environment variable with the folder of the store; the worker inherits it. */
const FOLDER = 'HOLDFAST_STORY_DIR';
const MAX_MS = 28_000;

if (isWorker) {
  const { engine } = await openStage(process.env[FOLDER] ?? '');
  await engine.start();
}

if (process.platform === 'win32') {
  console.error(
    'This story kills a detached worker. Windows has none (see docs/workers.md): run it on Linux or macOS.',
  );
  process.exit(1);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(name, () => stop.abort(new Error(`it was ended by ${name}`)));
const folder = await mkdtemp(join(tmpdir(), 'holdfast-story-'));
process.env[FOLDER] = folder;
const screen = createScreen(process.stdout);
try {
  await perform();
} catch (error) {
  screen.end();
  console.error(`The story did not come true: ${error instanceof Error ? error.message : error}`);
  const log = await readWorkerLog();
  if (log !== '') console.error(`The worker said:\n${log}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function perform() {
  const stage = await openStage(folder);
  const board = new Board(stage.engine, screen.show);
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(MAX_MS)]);
  try {
    await playStory({ stage, board, screen, signal });
  } finally {
    await closeStage(stage);
  }
}

async function readWorkerLog() {
  const logs = (await readdir(folder)).filter((name) => name.startsWith('worker-'));
  const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('').trim();
}
