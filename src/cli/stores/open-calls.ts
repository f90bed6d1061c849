import { existsSync } from 'node:fs';
import { TaskError } from '../../errors.ts';
import { createHost, type Host, type Ledger, openSqliteLedger, withLedgerCodec } from '../../host/index.ts';
import type { CallsValues } from '../command-line/shared-options.ts';
import { createQuestionAsker } from '../terminal/question-asker.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { checkLedger } from './check-ledger.ts';
import { readCodec } from './read-codec.ts';
import { toLedgerPath, toStateDir } from './state-dir.ts';

/** A ledger, and a host on it. */
export interface OpenCalls extends AsyncDisposable {
  readonly host: Host;
  readonly ledger: Ledger;
}

export interface OpenCallsOptions {
  readonly values: CallsValues & { readonly redact?: readonly string[] };
  readonly terminal: Terminal;
  /** Whether to create a ledger that was named and does not exist. */
  readonly create: boolean;
}

/** Opens the ledger that the command line names; questions go to the person at the terminal. */
export async function openCalls({ values, terminal, create }: OpenCallsOptions): Promise<OpenCalls> {
  const path = toLedgerPath(values);
  // A mistyped path must not create an empty ledger.
  if (!create && values.ledger !== undefined && !existsSync(path)) {
    throw new TaskError('STORE_NOT_FOUND', `there is no ledger ${path}; expected one that "holdfast call" has written`);
  }
  const codec = readCodec(values);
  checkLedger(path);
  const ledger = openSqliteLedger({ path });
  const { redact } = values;
  const canAsk = terminal.keyboard.canAsk && !terminal.json;
  const onQuestion = createQuestionAsker(terminal);
  const host = await createHost({
    ledger,
    ...(codec && { codec }),
    ...(redact && { redact }),
    stateDir: toStateDir(values),
    ...(canAsk && { onQuestion, capabilities: { elicitation: { form: {}, url: {} } } }),
  });
  return {
    host,
    ledger: withLedgerCodec(ledger, { codec, unreadable: 'show' }),
    async [Symbol.asyncDispose]() {
      await host.close();
      await ledger.close();
    },
  };
}
