import { TaskError } from '../../errors.ts';
import type { Call, CallRecord, Host, JsonObject, PluginSpec, ServerSpec } from '../../host/index.ts';
import { toPlainText } from '../../plain-text.ts';
import { awaitCalls } from '../await-call.ts';
import { readGiven } from '../command-line/given-json.ts';
import type { CommandName, OptionValues } from '../command-line/options.ts';
import { parseWhole } from '../command-line/parse-whole.ts';
import { reportFailure } from '../failure.ts';
import type { TrustContext } from '../servers/ask-trust.ts';
import { findServer } from '../servers/find-server.ts';
import { reopenServer } from '../servers/reopen-server.ts';
import { type OpenCalls, openCalls } from '../stores/open-calls.ts';
import { toShownCall } from '../stores/shown-call.ts';
import { toTable } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printCall, toStatus } from './calls-show.ts';

export interface CallContext {
  readonly args: readonly string[];
  /** What stood after `--`. */
  readonly rest: readonly string[];
  readonly values: OptionValues;
  readonly terminal: Terminal;
}

export type CallCommand = Extract<CommandName, 'call' | `calls ${string}`>;

type Run = (open: OpenCalls, context: CallContext) => Promise<number>;

const RUNS: Readonly<Record<CallCommand, Run>> = {
  call: callTool,
  'calls list': listCalls,
  'calls show': showCall,
  'calls wait': waitForCall,
  'calls resume': resumeCalls,
  'calls cancel': cancelCall,
};

const MAX_CALLS = 1_000_000;

/** Calls tools, and deals with calls that are pending. */
export async function runCalls(command: CallCommand, context: CallContext): Promise<number> {
  const { values, terminal } = context;
  await using open = await openCalls({ values, terminal, create: command === 'call' });
  return await RUNS[command](open, context);
}

async function callTool({ host }: OpenCalls, context: CallContext): Promise<number> {
  const { args, rest, values, terminal } = context;
  const [tool = '', json] = args;
  const { session, 'max-wait': maxWait } = values;
  const { name, spec, origin } = await findServer({ ...values, command: rest }, toTrust(context));
  const given = parseArguments(json && (await readGiven(json)));
  const maxWaitS = maxWait === undefined ? undefined : parseWhole(maxWait, '--max-wait', { from: 1, to: 10_000_000 });
  await host.connect(name, spec);
  const call = await host.call(name, tool, given, {
    ...(session !== undefined && { sessionId: session }),
    ...(maxWaitS !== undefined && { maxWaitMs: 1000 * maxWaitS }),
    ...(origin !== undefined && { origin: { ...origin } as unknown as JsonObject }),
  });
  if (!values.detach) return awaitCalls([call], terminal);
  // What was not sent would be sent by nobody.
  await call.sent();
  if (terminal.json) terminal.printJson({ callId: call.callId });
  else terminal.print(call.callId);
  return 0;
}

function parseArguments(json = '{}'): JsonObject {
  try {
    const value: unknown = JSON.parse(json);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Said below.
  }
  // Not repeated: there may be secrets in them.
  throw new TaskError(
    'USAGE',
    `the arguments are not usable; expected a JSON object such as '{"year":2025}', or - for stdin`,
  );
}

async function listCalls({ ledger }: OpenCalls, { values, terminal }: CallContext): Promise<number> {
  const { session, all } = values;
  const filter = { ...(session !== undefined && { sessionId: session }), unacked: all !== true, limit: MAX_CALLS };
  const calls = await ledger.list(filter);
  if (terminal.json) {
    for (const call of calls) terminal.printJson(toShownCall(call));
    return 0;
  }
  if (calls.length === 0) terminal.remark(all === true ? 'no calls' : 'no calls that nobody has taken; see --all');
  else for (const line of toTable(HEAD, calls.map(toRow))) terminal.print(line);
  return 0;
}

const HEAD = ['CALL', 'TOOL', 'STATUS', 'CREATED', 'SERVER'];

function toRow(call: CallRecord): string[] {
  const { callId, tool, createdAt, server } = call;
  return [callId, toPlainText(tool), toStatus(call), new Date(createdAt).toISOString(), toPlainText(server)];
}

async function showCall(open: OpenCalls, { args: [ref = ''], terminal }: CallContext): Promise<number> {
  const record = await findCall(open, ref);
  const answers = await open.ledger.answers(record.callId);
  if (terminal.json) terminal.printJson({ ...toShownCall(record), answers });
  else printCall(record, answers, terminal);
  return 0;
}

async function waitForCall(open: OpenCalls, context: CallContext): Promise<number> {
  const [ref = ''] = context.args;
  return awaitCalls([await takeUp(open, await findCall(open, ref), context)], context.terminal);
}

async function cancelCall(open: OpenCalls, context: CallContext): Promise<number> {
  const { args, values, terminal } = context;
  const [ref = ''] = args;
  const call = await takeUp(open, await findCall(open, ref), context);
  await call.cancel(values.reason ?? 'cancelled by the operator');
  const outcome = await call.outcome();
  await call.ack();
  if (terminal.json) terminal.printJson({ callId: call.callId, ...outcome });
  else terminal.print(`${call.callId} ended as ${outcome.kind}`);
  return 0;
}

/** Takes up every pending call and prints each as it ends. A server that cannot be had keeps only its own calls. */
async function resumeCalls({ host }: OpenCalls, context: CallContext): Promise<number> {
  const pending = (await host.calls({ unacked: true, limit: MAX_CALLS })).filter(({ outcome }) => !outcome);
  // The newest word of a server is the one that was approved last.
  const newest = new Map(pending.map((record) => [record.server, record]));
  const missing = await connectAll(host, [...newest.values()], context);
  const waiting = new Set(pending.filter(({ server }) => missing.has(server)).map(({ callId }) => callId));
  const calls = (await host.resume()).filter(({ callId }) => !waiting.has(callId));
  if (waiting.size > 0 && !context.terminal.json) context.terminal.remark(`calls that stay pending: ${waiting.size}`);
  return Math.max(await awaitCalls(calls, context.terminal), ...missing.values());
}

/** Returns which servers cannot be had, with the exit codes of why. */
async function connectAll(host: Host, records: readonly CallRecord[], context: CallContext) {
  const missing = new Map<string, number>();
  const attempt = async (server: string, step: () => Promise<void>) => {
    await step().catch((error: unknown) => missing.set(server, reportFailure(error, context.terminal)));
  };
  const specs = new Map<string, ServerSpec | PluginSpec>();
  // People are asked one thing after the other; servers are started all at once.
  for (const record of records) {
    await attempt(record.server, async () => {
      specs.set(record.server, await reopenServer(record, toTrust(context)));
    });
  }
  await Promise.all([...specs].map(([server, spec]) => attempt(server, () => host.connect(server, spec))));
  return missing;
}

function toTrust({ values, terminal }: CallContext): TrustContext {
  return { terminal, isTrusted: values.trust === true };
}

async function findCall({ ledger }: OpenCalls, ref: string): Promise<CallRecord> {
  const exact = await ledger.get(ref);
  if (exact) return exact;
  const all = await ledger.list({ limit: MAX_CALLS });
  const found = all.filter(({ callId }) => callId.startsWith(ref) || callId.startsWith(ref, 10));
  const [only, ...others] = found;
  if (only && others.length === 0 && ref.length >= 4) return only;
  const why =
    others.length > 0 ? `${found.length} calls begin with it; give more characters` : 'holdfast calls list shows them';
  throw new TaskError('CALL_NOT_FOUND', `there is no one call ${JSON.stringify(ref)}; ${why}`);
}

async function takeUp({ host }: OpenCalls, record: CallRecord, context: CallContext): Promise<Call> {
  const { callId, server, outcome } = record;
  if (!outcome) await host.connect(server, await reopenServer(record, toTrust(context)));
  const call = (await host.resume()).find((one) => one.callId === callId);
  if (call) return call;
  throw new TaskError('CALL_NOT_FOUND', `call ${callId} has ended, and its outcome has been taken`);
}
