/**
 * One SDK server, for one connection (stdio, legacy HTTP) or one request (modern HTTP).
 *
 * The SDK handles prompts, resources, templates and completion. Tools are ours: `tools/list` is replaced, and
 * `tools/call` has no handler at all, so that it reaches the fallback, the only place where the SDK passes a task's
 * answer through unchanged.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type JSONRPCRequest, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type {
  AnswerFate,
  Caller,
  Era,
  EventPoint,
  Gone,
  IncomingCall,
  Profile,
  RequestChannel,
} from '../../dialects/server-port.ts';
import { canShowViews } from '../../dialects/shared/apps-extension.ts';
import { invalidParams, RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { TASKS_EXTENSION } from '../../dialects/shared/tasks-extension.ts';
import { MAX_VALIDATION_ERROR_LENGTH } from '../../limits.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { shorten } from '../../text/cut-text.ts';
import { SessionAnswers } from '../calls/answer-fate.ts';
import { callTool } from '../calls/call-tool.ts';
import { findProfile } from '../clients/profiles.ts';
import { isTimeoutCancel } from '../clients/timeout-cancel.ts';
import { toCapabilities, toServerInfo } from '../server-card.ts';
import type { ServerParts } from '../server-parts.ts';
import { listTools } from '../tools/list-tools.ts';
import { limitAnswerSizes } from './answer-size.ts';
import { interceptArtifactReads, readArtifactPart } from './artifact-resources.ts';
import { type Connection, RESUMED_META } from './connection.ts';
import { type ConnectionFollowers, createConnectionFollowers } from './connection-followers.ts';
import { readResponses, registerMethods } from './dialect-methods.ts';
import { addDialectResources, readDialectResource, withDialectResources } from './dialect-resources.ts';
import { correctInvalidParamsCode } from './invalid-params.ts';
import { replaceLinksWithText } from './legacy-content.ts';
import { preserveErrorCode } from './preserve-error-code.ts';
import { toQuestionChannel } from './question-channel.ts';
import { forwardNotifications, listenToClient, relayRequest, toRelayClient } from './relay-client.ts';
import { toConnectionError } from './rpc-error.ts';
import { toEmptyList } from './undeclared-lists.ts';

export interface InstanceOptions {
  readonly era: Era;
  readonly connection: Connection;
  /** Registers the user's prompts and resources. */
  readonly register: (mcp: McpServer) => void;
}

/** Creates the SDK server of one connection or request. */
export type CreateInstance = (options: Omit<InstanceOptions, 'register'>) => McpServer;

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
// The only revision of the modern era so far.
const MODERN_VERSION = '2026-07-28';

export function createInstance(parts: ServerParts, { era, connection, register }: InstanceOptions): McpServer {
  const { instructions } = parts.settings;
  const mcp = new McpServer(toServerInfo(parts.settings), {
    capabilities: toCapabilities(parts.settings, era),
    ...(instructions !== undefined && { instructions }),
  });
  register(mcp);
  const { server } = mcp;
  correctInvalidParamsCode(server);
  preserveErrorCode(server);
  if (era === 'legacy') replaceLinksWithText(server);
  const answers = new SessionAnswers();
  limitAnswerSizes(server, connection, (requestId) => answers.lose(requestId));
  const toCaller = (context: ServerContext): Caller => readCaller(mcp, context, { era, connection });
  connection.asked?.learnClient(() => server.getClientVersion());
  const followers = createConnectionFollowers(parts, connection, () => server.getClientCapabilities() ?? {});
  const client = toRelayClient(mcp, connection, era);
  const { relay } = parts.settings;
  if (relay) listenToClient(mcp, relay, client);
  // A modern HTTP request ends before there could be a notification.
  const stopForwarding = connection.notify ? forwardNotifications(parts.notifications, client, parts.report) : () => {};
  server.onclose = () => {
    followers.close();
    stopForwarding();
    relay?.onClosed?.(client);
  };
  // The SDK compares arguments with their `Mcp-Param-*` headers, and asks the instance for the schema that names them.
  mcp.toolInputSchemaJson = (tool) => parts.tools.get(tool)?.listing.inputSchema as Record<string, unknown> | undefined;
  server.removeRequestHandler('tools/call');
  server.setRequestHandler(
    'tools/list',
    async (_, context) => ({ tools: listTools(parts, toCaller(context)) }) as never,
  );
  const on = { parts, connection, answers, followers };
  server.fallbackRequestHandler = async (request, context) => {
    try {
      const caller = toCaller(context);
      if (request.method === 'tools/call') return await callTool(parts, toCall(request, context, { ...on, caller }));
      const read =
        (await readDialectResource(parts, request, caller)) ?? (await readArtifactPart(parts, request, caller));
      if (read) return read;
      const relayed = relay && (await relayRequest(request, context, { relay, client, caller }));
      return withDialectResources(parts, { request, caller, result: relayed ?? answerOther(request) });
    } catch (error) {
      const failure = toConnectionError(error, { connection, parts });
      if (failure.code === RPC_CODES.METHOD_NOT_FOUND && request.method !== 'tools/call')
        connection.onUnknownMethod?.();
      throw failure;
    }
  };
  interceptArtifactReads(mcp);
  addDialectResources(mcp, parts, toCaller);
  registerMethods({ parts, server, toCaller, connection }, era);
  return mcp;
}

function readCaller(mcp: McpServer, context: ServerContext, on: { era: Era; connection: Connection }): Caller {
  const { era, connection } = on;
  const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
  const capabilities = (era === 'modern' ? envelope?.[CLIENT_CAPABILITIES] : mcp.server.getClientCapabilities()) as
    | (Caller['capabilities'] & { extensions?: Record<string, unknown> })
    | undefined;
  const client = (era === 'modern' ? envelope?.[CLIENT_INFO] : mcp.server.getClientVersion()) as
    | Caller['client']
    | undefined;
  const protocolVersion = era === 'modern' ? MODERN_VERSION : mcp.server.getNegotiatedProtocolVersion();
  return {
    era,
    principal: connection.principal,
    isLocal: connection.isLocal === true,
    ...(client && { client }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    hasProbed: connection.hasProbed?.() === true,
    capabilities: capabilities ?? {},
    declaresTasks: era === 'modern' && capabilities?.extensions?.[TASKS_EXTENSION] !== undefined,
    showsViews: canShowViews(capabilities?.extensions),
    acceptsNotifications: connection.notify !== undefined,
    ...(connection.sessionId !== undefined && { sessionId: connection.sessionId }),
    ...(connection.address !== undefined && { address: connection.address }),
  };
}

const CallParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
  task: z.looseObject({ ttl: z.number().nullable().optional() }).optional(),
});

/** The caller, and how to reach it. */
interface CallParts {
  readonly parts: ServerParts;
  readonly caller: Caller;
  readonly connection: Connection;
  /** Follows answers that may be held back. */
  readonly answers: SessionAnswers;
  readonly followers: ConnectionFollowers;
}

function toCall(
  request: JSONRPCRequest,
  context: ServerContext,
  { parts, caller, connection, answers, followers }: CallParts,
): Omit<IncomingCall, 'tool'> {
  // The modern era has no `task` parameter: it must be ignored there, whatever its value.
  const params = caller.era === 'modern' ? { ...request.params, task: undefined } : (request.params ?? {});
  const parsed = CallParams.safeParse(params);
  if (!parsed.success)
    throw invalidParams(`tools/call: ${shorten(z.prettifyError(parsed.error), MAX_VALIDATION_ERROR_LENGTH)}`);
  const { name, arguments: args, task } = parsed.data;
  const requestState = context.mcpReq.requestState<string>();
  const resumed = findResumed(context, connection);
  return {
    id: context.mcpReq.id,
    name,
    args,
    meta: context.mcpReq._meta ?? {},
    caller,
    channel: toChannel(context, connection, { parts, caller, answers, followers }),
    ...(task && { task: task as { ttl?: number | null } }),
    inputResponses: readResponses(context),
    ...(typeof requestState === 'string' && { requestState }),
    ...(resumed && { resumed }),
  };
}

function toChannel(
  context: ServerContext,
  connection: Connection,
  { parts, caller, answers, followers }: Omit<CallParts, 'connection'>,
): RequestChannel {
  const { era, capabilities, client } = caller;
  const { id, signal, notify, log, _meta } = context.mcpReq;
  const token = _meta?.progressToken;
  const questions = era === 'legacy' ? toQuestionChannel(connection, capabilities, id) : undefined;
  let gone: Gone | undefined;
  // The reason can be read only once, and there may be several listeners.
  const readGone = () => {
    gone ??= toGone(connection.cancelReason(id), findProfile(parts.profiles(), client?.name));
    return gone;
  };
  return {
    ...(token !== undefined && { progressToken: token }),
    notify: (method, params) => notify({ method, params } as never),
    log: (level, data) => log(level, data),
    ...(questions && { questions }),
    headless: connection.asked ?? parts.headless.markOf(caller),
    follow: (dialect, task, details) => followers.follow(dialect, task, details),
    ...toLasting(connection, id),
    followAnswer: () => answers.follow(id, connection.followAnswer?.(id) ?? untilSent()),
    onGone(listener) {
      const onAbort = () => listener(readGone());
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      return () => signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Returns the stream that a call resumes, for which nothing is run; the token must name a stream of this connection. */
function findResumed({ mcpReq }: ServerContext, connection: Connection): EventPoint | undefined {
  const token = mcpReq._meta?.[RESUMED_META];
  if (token === undefined) return undefined;
  const resumed = typeof token === 'string' ? connection.takeResumed?.(token) : undefined;
  if (!resumed) throw invalidParams(`_meta["${RESUMED_META}"] is for the server itself; send Last-Event-ID to resume`);
  return resumed;
}

/** Functions that keep a call from being lost with its connection. */
function toLasting({ mark, onStop }: Connection, id: string | number): Pick<RequestChannel, 'mark' | 'onStop'> {
  return { ...(mark && { mark: (told) => mark(id, told) }), ...(onStop && { onStop }) };
}

/** Where arrival cannot be observed, an answer that was sent counts as read. */
async function untilSent(): Promise<AnswerFate> {
  await nextTurn();
  return 'read';
}

/** A client that timed out has not asked to stop the work. */
function toGone(reason: string | undefined, profile: Profile): Gone {
  return reason === undefined || isTimeoutCancel(reason, profile) ? { kind: 'gone' } : { kind: 'cancelled', reason };
}

function answerOther({ method, params }: JSONRPCRequest) {
  const emptyList = toEmptyList(method, params?.cursor);
  if (emptyList === undefined) throw new RpcFailure(RPC_CODES.METHOD_NOT_FOUND, `Method not found: ${method}`);
  return { ...emptyList };
}
