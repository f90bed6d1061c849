import { join } from 'node:path';
import { createHost, type Host, type HostQuestion, type JsonObject } from '../host/index.ts';
import { resolveStoreDirectory } from '../store/sqlite/directory.ts';
import { askOnTerminal } from './ask-on-terminal.ts';
import type { OptionValues } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Opens the host whose ledger the command line names; people at a terminal can be asked. */
export function openHost({ ledger }: OptionValues, terminal: Terminal): Promise<Host> {
  const path = ledger ?? join(resolveStoreDirectory('calls'), 'calls.db');
  const canAsk = process.stdin.isTTY === true && !terminal.json;
  const onQuestion = (question: HostQuestion): Promise<JsonObject> => askOnTerminal(question);
  return createHost({
    ledger: path,
    ...(canAsk && { onQuestion, capabilities: { elicitation: { form: {}, url: {} } } }),
  });
}
