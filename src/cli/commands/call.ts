import { TaskError } from '../../errors.ts';
import type { CallRecord, Host, JsonObject } from '../../host/index.ts';
import { awaitCall } from '../await-call.ts';
import { toTable } from '../format.ts';
import { findServer, toServer } from '../mcp-servers.ts';
import { openHost } from '../open-host.ts';
import type { CommandName, OptionValues } from '../options.ts';
import { parseWhole } from '../parse-whole.ts';
import type { Terminal } from '../terminal.ts';

export interface CallContext {
  readonly args: readonly string[];
  /** What stood after `--`. */
  readonly rest: readonly string[];
  readonly values: OptionValues;
  readonly terminal: Terminal;
}

export type CallCommand = Extract<CommandName, 'call' | `calls ${string}`>;

type Run = (host: Host, context: CallContext) => Promise<number>;

const RUNS: Readonly<Record<CallCommand, Run>> = {
  call: callTool,
  'calls list': listCalls,
  'calls wait': waitForCall,
  'calls resume': resumeCalls,
  'calls cancel': cancelCall,
};

/** Calls tools, and deals with calls that are pending. */
export async function runCalls(command: CallCommand, context: CallContext): Promise<number> {
  const host = await openHost(context.values, context.terminal);
  try {
    return await RUNS[command](host, context);
  } finally {
    await host.close();
  }
}

async function callTool(host: Host, { args: [tool = '', json], rest, values, terminal }: CallContext): Promise<number> {
  const { server, url, session } = values;
  const { name, spec } = findServer({
    command: rest,
    ...(server !== undefined && { server }),
    ...(url !== undefined && { url }),
  });
  const given = parseArguments(json);
  await host.connect(name, spec);
  const maxWait = values['max-wait'];
  const range = { from: 1, to: 10_000_000 };
  const call = await host.call(name, tool, given, {
    ...(session !== undefined && { sessionId: session }),
    ...(maxWait !== undefined && { maxWaitMs: 1000 * parseWhole(maxWait, '--max-wait', range) }),
  });
  if (!values.detach) return awaitCall(call, terminal);
  await untilSent(host, call.callId);
  if (terminal.json) terminal.printJson({ callId: call.callId });
  else terminal.print(call.callId);
  return 0;
}

/** Until the server has it: what was not sent would be sent by nobody. */
async function untilSent(host: Host, callId: string): Promise<void> {
  for (;;) {
    const record = (await host.calls()).find((one) => one.callId === callId);
    if (!record || record.handle || record.outcome) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
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

async function listCalls(host: Host, { values, terminal }: CallContext): Promise<number> {
  const { session, all } = values;
  const calls = await host.calls({ ...(session !== undefined && { sessionId: session }), unacked: all !== true });
  if (terminal.json) {
    for (const call of calls) terminal.printJson(call);
    return 0;
  }
  const rows = calls.map((call) => [
    call.callId,
    call.tool,
    toStatus(call),
    new Date(call.createdAt).toISOString(),
    call.server,
  ]);
  for (const line of toTable(['CALL', 'TOOL', 'STATUS', 'CREATED', 'SERVER'], rows)) terminal.print(line);
  return 0;
}

function toStatus({ outcome, handle, ackedAt }: CallRecord): string {
  if (outcome) return ackedAt === undefined ? outcome.kind : `${outcome.kind}, taken`;
  return handle ? `pending (${handle.dialect})` : 'pending';
}

async function waitForCall(host: Host, { args: [ref = ''], terminal }: CallContext): Promise<number> {
  return awaitCall(await takeUp(host, await findCall(host, ref)), terminal);
}

async function cancelCall(host: Host, { args: [ref = ''], values, terminal }: CallContext): Promise<number> {
  const call = await takeUp(host, await findCall(host, ref));
  await call.cancel(values.reason ?? 'cancelled by the operator');
  const outcome = await call.outcome();
  await call.ack();
  if (terminal.json) terminal.printJson({ callId: call.callId, ...outcome });
  else terminal.print(`${call.callId} ended as ${outcome.kind}`);
  return 0;
}

/** Takes up every pending call and prints each as it ends. */
async function resumeCalls(host: Host, { terminal }: CallContext): Promise<number> {
  const servers = new Set(
    (await host.calls({ unacked: true })).filter(({ outcome }) => !outcome).map(({ server }) => server),
  );
  await Promise.all([...servers].map((server) => host.connect(server, toServer(server).spec)));
  const codes = await Promise.all((await host.resume()).map((call) => awaitCall(call, terminal)));
  return Math.max(0, ...codes);
}

async function findCall(host: Host, ref: string): Promise<CallRecord> {
  const found = (await host.calls()).filter(({ callId }) => callId.startsWith(ref) || callId.startsWith(ref, 10));
  const [only, ...others] = found;
  if (only && others.length === 0 && ref.length >= 4) return only;
  const why =
    others.length > 0 ? `${found.length} calls begin with it; give more characters` : 'holdfast calls list shows them';
  throw new TaskError('CALL_NOT_FOUND', `there is no one call ${JSON.stringify(ref)}; ${why}`);
}

async function takeUp(host: Host, { callId, server, outcome }: CallRecord) {
  if (!outcome) await host.connect(server, toServer(server).spec);
  const call = (await host.resume()).find((one) => one.callId === callId);
  if (call) return call;
  throw new TaskError('CALL_NOT_FOUND', `call ${callId} has ended, and its outcome has been taken`);
}
