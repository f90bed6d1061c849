// @ts-check
/**
 * `npm start`: installs, builds, and opens the sandbox in the browser, until Ctrl-C. Without a terminal (a pipe, CI), or with
 * `--story`, it plays the story in the terminal instead and exits after its last scene.
 */
import { build } from './build.mjs';
import { install } from './install/install.mjs';
import { requireNode } from './install/node-floor.mjs';
import { inRoot } from './root.mjs';
import { run } from './run.mjs';

const STORY = [inRoot('examples', 'story', 'story.js')];
const SANDBOX = [inRoot('dist', 'cli', 'main.js'), 'sandbox', '--open'];

requireNode();
try {
  await install();
  const isWatched = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const isStory = process.argv.includes('--story') || !isWatched;
  process.exitCode = (await build()) || (await run(process.execPath, isStory ? STORY : SANDBOX));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
