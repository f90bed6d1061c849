import type { CommandContext } from '../../command-line/command.ts';
import type { CALLS } from '../../command-line/shared-options.ts';
import { findCall } from '../../stores/find-call.ts';
import { openCalls } from '../../stores/open-calls.ts';
import { toShownCall } from '../../stores/shown-call.ts';
import { printCall } from './call-text.ts';

/** Shows the ledger's record of a call. */
export async function showCall({ args, values, terminal }: CommandContext<typeof CALLS>): Promise<number> {
  const [ref = ''] = args;
  await using open = await openCalls({ values, terminal, create: false });
  const record = await findCall(open.ledger, ref);
  const answers = await open.ledger.answers(record.callId);
  if (terminal.json) terminal.printJson({ ...toShownCall(record), answers });
  else printCall(record, answers, terminal);
  return 0;
}
