/** Resumes calls that earlier processes made. */
import { TaskError } from '../../../errors.ts';
import type { Call, CallRecord, Host, PluginSpec, ServerSpec } from '../../../host/index.ts';
import type { CommandContext } from '../../command-line/command.ts';
import type { CALLS, SHARED } from '../../command-line/shared-options.ts';
import { reportFailure } from '../../failure.ts';
import type { TrustContext } from '../../servers/ask-trust.ts';
import { reopenServer } from '../../servers/reopen-server.ts';
import { findCall, MAX_CALLS } from '../../stores/find-call.ts';
import { type OpenCalls, openCalls } from '../../stores/open-calls.ts';
import { awaitCalls } from './await-calls.ts';
import type { CallsCancelContext } from './call-commands.ts';

type TrustedContext = CommandContext<typeof CALLS & Pick<typeof SHARED, 'trust'>>;

/** Waits for one call. */
export async function waitForCall(context: TrustedContext): Promise<number> {
  const [ref = ''] = context.args;
  await using open = await openCalls({ ...context, create: false });
  return await awaitCalls([await resumeCall(open, await findCall(open.ledger, ref), context)], context.terminal);
}

/** Cancels one call, and waits until it has ended. */
export async function cancelCall(context: CallsCancelContext): Promise<number> {
  const { args, values, terminal } = context;
  const [ref = ''] = args;
  await using open = await openCalls({ values, terminal, create: false });
  const call = await resumeCall(open, await findCall(open.ledger, ref), context);
  const { callId } = call;
  await call.cancel(values.reason ?? 'cancelled by the operator');
  const outcome = await call.outcome();
  if (terminal.json) terminal.printJson({ callId, ...outcome });
  else terminal.print(`${callId} ended as ${outcome.kind}`);
  // A call that had already ended otherwise stays unacknowledged: its outcome has not been shown yet.
  if (outcome.kind === 'cancelled') await call.ack();
  else if (!terminal.json) terminal.remark(`its outcome is kept; holdfast calls wait ${callId} shows it`);
  return 0;
}

/** Resumes every pending call and prints each outcome. An unreachable server holds back only its own calls. */
export async function resumeCalls(context: TrustedContext): Promise<number> {
  await using open = await openCalls({ ...context, create: false });
  const { host } = open;
  const pending = (await host.calls({ unacked: true, limit: MAX_CALLS })).filter(({ outcome }) => !outcome);
  // Of each server, keep the newest record: its launch spec was approved last.
  const newest = new Map(pending.map((record) => [record.server, record]));
  const missing = await connectAll(host, [...newest.values()], context);
  const waiting = new Set(pending.filter(({ server }) => missing.has(server)).map(({ callId }) => callId));
  const calls = (await host.resume()).filter(({ callId }) => !waiting.has(callId));
  if (waiting.size > 0 && !context.terminal.json) context.terminal.remark(`calls that stay pending: ${waiting.size}`);
  return Math.max(await awaitCalls(calls, context.terminal), ...missing.values());
}

/** Returns the servers that could not be connected, with the exit code for each. */
async function connectAll(host: Host, records: readonly CallRecord[], context: TrustedContext) {
  const missing = new Map<string, number>();
  const attempt = async (server: string, step: () => Promise<void>) => {
    await step().catch((error: unknown) => missing.set(server, reportFailure(error, context.terminal)));
  };
  const specs = new Map<string, ServerSpec | PluginSpec>();
  // Trust questions are asked one at a time; servers are started in parallel.
  for (const record of records) {
    await attempt(record.server, async () => {
      specs.set(record.server, await reopenServer(record, toTrust(context)));
    });
  }
  await Promise.all([...specs].map(([server, spec]) => attempt(server, () => host.connect(server, spec))));
  return missing;
}

function toTrust({ values, terminal }: TrustedContext): TrustContext {
  return { terminal, isTrusted: values.trust === true };
}

async function resumeCall({ host }: OpenCalls, record: CallRecord, context: TrustedContext): Promise<Call> {
  const { callId, server, outcome } = record;
  if (!outcome) await host.connect(server, await reopenServer(record, toTrust(context)));
  const call = (await host.resume()).find((one) => one.callId === callId);
  if (call) return call;
  throw new TaskError('CALL_NOT_FOUND', `call ${callId} has ended, and its outcome has been taken`);
}
