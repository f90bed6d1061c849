#!/usr/bin/env node
/** The program's entry: enables Node's compile cache, and only then imports everything else, so that it is compiled once. */
import * as module from 'node:module';
import { findNodeFault } from '../node-version.ts';

const fault = findNodeFault(process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

// Available from Node 22 on; without it, or if the cache cannot be written, everything is compiled at each start.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const { runCommandLine } = await import('./run.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
