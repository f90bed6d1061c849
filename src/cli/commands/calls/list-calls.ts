import type { CallRecord } from '../../../host/index.ts';
import { toPlainText } from '../../../text/plain-text.ts';
import { MAX_CALLS } from '../../stores/find-call.ts';
import { openCalls } from '../../stores/open-calls.ts';
import { toShortIds } from '../../stores/short-ids.ts';
import { toShownCall } from '../../stores/shown-call.ts';
import { toTable } from '../../terminal/format.ts';
import { toServerText } from '../../terminal/server-text.ts';
import type { CallsListContext } from './call-commands.ts';
import { toStatus } from './call-text.ts';

/** Lists calls, one line each. */
export async function listCalls({ values, terminal }: CallsListContext): Promise<number> {
  await using open = await openCalls({ values, terminal, create: false });
  const { session, all } = values;
  const filter = { ...(session !== undefined && { sessionId: session }), unacked: all !== true, limit: MAX_CALLS };
  const calls = await open.ledger.list(filter);
  if (terminal.json) {
    for (const call of calls) terminal.printJson(toShownCall(call));
    return 0;
  }
  if (calls.length === 0) terminal.remark(all === true ? 'no calls' : 'no calls that nobody has taken; see --all');
  else {
    const short = toShortIds(calls.map(({ callId }) => callId));
    const rows = calls.map((call) => toRow(call, short.get(call.callId) ?? call.callId));
    for (const line of toTable(HEAD, rows)) terminal.print(line);
  }
  return 0;
}

const HEAD = ['CALL', 'TOOL', 'STATUS', 'CREATED', 'SERVER'];

function toRow(call: CallRecord, id: string): string[] {
  const { tool, createdAt, server } = call;
  return [id, toPlainText(tool), toStatus(call), new Date(createdAt).toISOString(), toPlainText(toServerText(server))];
}
