import { TaskError } from '../../errors.ts';
import type { Call, CallRecord, JsonObject } from '../../host/index.ts';
import { awaitCalls } from '../await-call.ts';
import { toPlainText, toTable } from '../format.ts';
import { findServer, toServer } from '../mcp-servers.ts';
import { type OpenCalls, openCalls } from '../open-calls.ts';
import type { CommandName, OptionValues } from '../options.ts';
import { parseWhole } from '../parse-whole.ts';
import type { Terminal } from '../terminal.ts';
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

const MOST_CALLS = 1_000_000;

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
  const { name, spec } = findServer({ ...values, command: rest });
  const given = parseArguments(json);
  const maxWaitS = maxWait === undefined ? undefined : parseWhole(maxWait, '--max-wait', { from: 1, to: 10_000_000 });
  await host.connect(name, spec);
  const call = await host.call(name, tool, given, {
    ...(session !== undefined && { sessionId: session }),
    ...(maxWaitS !== undefined && { maxWaitMs: 1000 * maxWaitS }),
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
  throw new TaskError('USAGE', `the arguments are ${JSON.stringify(json)}; legal is a JSON object`);
}

async function listCalls({ host }: OpenCalls, { values, terminal }: CallContext): Promise<number> {
  const { session, all } = values;
  const filter = { ...(session !== undefined && { sessionId: session }), unacked: all !== true, limit: MOST_CALLS };
  const calls = await host.calls(filter);
  if (terminal.json) {
    for (const call of calls) terminal.printJson(call);
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
  if (terminal.json) terminal.printJson({ ...record, answers });
  else printCall(record, answers, terminal);
  return 0;
}

async function waitForCall(open: OpenCalls, { args: [ref = ''], terminal }: CallContext): Promise<number> {
  return awaitCalls([await takeUp(open, await findCall(open, ref))], terminal);
}

async function cancelCall(open: OpenCalls, { args: [ref = ''], values, terminal }: CallContext): Promise<number> {
  const call = await takeUp(open, await findCall(open, ref));
  await call.cancel(values.reason ?? 'cancelled by the operator');
  const outcome = await call.outcome();
  await call.ack();
  if (terminal.json) terminal.printJson({ callId: call.callId, ...outcome });
  else terminal.print(`${call.callId} ended as ${outcome.kind}`);
  return 0;
}

/** Takes up every pending call and prints each as it ends. */
async function resumeCalls({ host }: OpenCalls, { terminal }: CallContext): Promise<number> {
  const pending = (await host.calls({ unacked: true, limit: MOST_CALLS })).filter(({ outcome }) => !outcome);
  const servers = new Set(pending.map(({ server }) => server));
  await Promise.all([...servers].map((server) => host.connect(server, toServer(server).spec)));
  return awaitCalls(await host.resume(), terminal);
}

async function findCall({ host, ledger }: OpenCalls, ref: string): Promise<CallRecord> {
  const exact = await ledger.get(ref);
  if (exact) return exact;
  const all = await host.calls({ limit: MOST_CALLS });
  const found = all.filter(({ callId }) => callId.startsWith(ref) || callId.startsWith(ref, 10));
  const [only, ...others] = found;
  if (only && others.length === 0 && ref.length >= 4) return only;
  const why =
    others.length > 0 ? `${found.length} calls begin with it; give more characters` : 'holdfast calls list shows them';
  throw new TaskError('CALL_NOT_FOUND', `there is no one call ${JSON.stringify(ref)}; ${why}`);
}

async function takeUp({ host }: OpenCalls, { callId, server, outcome }: CallRecord): Promise<Call> {
  if (!outcome) await host.connect(server, toServer(server).spec);
  const call = (await host.resume()).find((one) => one.callId === callId);
  if (call) return call;
  throw new TaskError('CALL_NOT_FOUND', `call ${callId} has ended, and its outcome has been taken`);
}
