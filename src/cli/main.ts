#!/usr/bin/env node
/** The program: what there is to load is compiled once where Node keeps that, and loaded after it has been told to. */
import * as module from 'node:module';
import { findNodeFault } from '../node-version.ts';

const fault = findNodeFault(process.versions.node);
if (fault !== undefined) {
  process.stderr.write(`${fault}\n`);
  process.exit(1);
}

// From Node 22 on; elsewhere, and where nothing can be written, everything is compiled each time.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const { runCommandLine } = await import('./run.ts');
process.exitCode = await runCommandLine(process.argv.slice(2));
