// @ts-check
/**
 * The long fuzz run: 10,000 random messages to whole servers, with a fixed seed.
 *
 * `npm run fuzz`, or `npm run fuzz -- 50000 7` for another number of messages and another seed.
 */
import { build } from './build.mjs';
import { bin, run } from './run.mjs';

const [messages = '10000', seed = '20261116'] = process.argv.slice(2);
if ((await build()) !== 0) process.exit(1);
process.env.HOLDFAST_FUZZ_RUNS = messages;
process.env.HOLDFAST_FUZZ_SEED = seed;
process.exitCode = await run(bin('vitest'), ['run', 'test/fuzz', 'test/server/stdio/stdio-fuzz.test.ts']);
