// @ts-check
/** Plays every recorded client and regenerates the table of docs/clients.md: `npm run clients`. */
import { build } from './build.mjs';
import { bin, run } from './run.mjs';

if ((await build()) !== 0) process.exit(1);
process.env.HOLDFAST_WRITE_CLIENTS = '1';
process.exitCode = await run(bin('vitest'), ['run', 'test/clients']);
