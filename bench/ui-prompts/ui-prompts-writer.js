// @ts-check
/** Publishes results at random moments; each carries the time at which its write started. */
import { setTimeout } from 'node:timers/promises';
import { createPromptLog } from 'holdfast/ui-prompts';
import { sharedNow } from '../measure.js';

const [, , path = '', pauseMs = '0', ...ids] = process.argv;
const log = createPromptLog({ path });
for (const requestId of ids) {
  await setTimeout(Number(pauseMs) * (0.5 + Math.random()));
  await log.publishResult({ requestId, text: String(sharedNow()) });
}
