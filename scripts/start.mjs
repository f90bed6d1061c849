// @ts-check
import { build } from './build.mjs';
import { install } from './install.mjs';
import { requireNode } from './node-floor.mjs';
import { inRoot } from './root.mjs';
import { run } from './run.mjs';

requireNode();
try {
  await install();
  process.exitCode = (await build()) || (await run(process.execPath, [inRoot('examples', 'story', 'story.js')]));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
