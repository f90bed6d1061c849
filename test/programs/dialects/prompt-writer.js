// @ts-check
/**
 * Writes results to a log: `prompt-writer.js LOG OPTIONS ID…`. Prints one line per id, `true` when it was written here.
 *
 * With `crashAt` it is killed at that crash point, which lies inside the log's lock.
 */
import { armCrashPoint } from 'holdfast/testing';
import { createPromptLog } from 'holdfast/ui-prompts';

const [, , path = '', options = '{}', ...ids] = process.argv;
const { crashAt, ...rest } = JSON.parse(options);
if (crashAt !== undefined) armCrashPoint(crashAt);
const log = createPromptLog({ path, ...rest });
for (const requestId of ids) {
  const isWritten = await log.publishResult({ requestId, text: `text of ${requestId}` });
  process.stdout.write(`${isWritten}\n`);
}
