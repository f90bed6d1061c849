#!/usr/bin/env node
import { tolerateBrokenPipes } from './broken-pipes.ts';
import { runCommandLine } from './run.ts';

tolerateBrokenPipes();
process.exitCode = await runCommandLine(process.argv.slice(2));
