import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio as serveSdk } from '@modelcontextprotocol/server/stdio';
import { AskedQuestions } from '../../dialects/shared/questions/asked-questions.ts';
import { LOCAL } from '../../engine/task-client.ts';
import { PipeAnswers } from '../calls/answer-fate.ts';
import { findAnswersFault, findVersionFault } from '../frames/request-check.ts';
import { CancelReasons, type Connection } from '../sdk/connection.ts';
import { reportListenRequest } from '../sdk/listen-methods.ts';
import { recordAnswer } from '../sdk/own-requests.ts';
import type { CreateInstance } from '../sdk/sdk-server.ts';
import type { ServerParts } from '../server-parts.ts';
import { hasTasks } from '../tools/has-tasks.ts';
import { WarmWorker } from '../warm-worker.ts';
import type { EarlyInput } from './early-responder.ts';
import { Rediscovery } from './rediscovery.ts';
import { StdioTransport } from './stdio-transport.ts';
import { StdioTaskSubscriptions } from './task-subscriptions.ts';

const EXIT_GRACE_MS = 50;

export interface StdioStartup {
  /** Input that arrived before this module was loaded. */
  readonly early: EarlyInput;
  /** What is being opened meanwhile; if it fails, no client is served. */
  readonly begun: Promise<unknown>;
}

/**
 * Serves one client on stdin and stdout; resolves when the client has closed them.
 *
 * The SDK decides the era from the first message. Answers to our questions, which any process may record, are
 * intercepted before the SDK sees them.
 */
export async function serveStdio(
  parts: ServerParts,
  create: CreateInstance,
  { early, begun }: StdioStartup,
): Promise<void> {
  const cancels = new CancelReasons();
  const answers = new PipeAnswers();
  const { isClientGone } = early;
  const asked = new AskedQuestions(() => parts.clock.monotonic());
  const rediscovery = hasTasks(parts.tools) ? new Rediscovery(parts.profiles) : undefined;
  const warm = parts.settings.warmWorker && hasTasks(parts.tools) ? new WarmWorker(parts) : undefined;
  let hasProbed = false;
  const transport = new StdioTransport({
    limits: parts.settings.messageLimits,
    early: early.bytes,
    intercept(message: JSONRPCMessage) {
      early.observe(message);
      cancels.observe(message);
      warm?.observe(message);
      answers.observe(message);
      reportListenRequest(parts, message);
      hasProbed ||= 'method' in message && message.method === 'server/discover';
      return (
        recordAnswer(parts, message, { principal: LOCAL, asked }) ||
        refuse(message) ||
        taskSubscriptions.intercept(message)
      );
    },
  });
  const send = transport.send.bind(transport);
  const refuse = (message: JSONRPCMessage) => {
    const fault = rediscovery?.observe(message) ?? findVersionFault(message) ?? findAnswersFault(message);
    if (!fault || !('id' in message) || message.id === undefined) return false;
    const { code, message: text, data } = fault;
    const error = { code, message: text, ...(data !== undefined && { data }) };
    send({ jsonrpc: '2.0', id: message.id, error }).catch(parts.report);
    return true;
  };
  const deliver = (message: JSONRPCMessage) => transport.onmessage?.(message);
  const taskSubscriptions = new StdioTaskSubscriptions({ parts, principal: LOCAL, send, deliver });
  transport.send = async (message) => {
    if (early.isRepeated(message)) return;
    await send(taskSubscriptions.outgoing(message));
    answers.sent(message);
  };
  const connection: Connection = {
    principal: LOCAL,
    isLocal: true,
    asked,
    canSend: () => true,
    followAnswer: (requestId) => answers.follow(requestId),
    hasProbed: () => hasProbed,
    cancelReason: (requestId) => cancels.take(requestId),
    notify: (method, params) => transport.send({ jsonrpc: '2.0', method, params } as JSONRPCMessage),
    sendRequest: (request) => transport.send({ jsonrpc: '2.0', ...request } as JSONRPCMessage),
  };
  begun.catch(() => transport.close());
  await new Promise<void>((resolve) => {
    transport.onended = resolve;
    serveSdk(({ era }) => create({ era, connection }), { transport, onerror: (error) => parts.report(error) });
  });
  warm?.stop();
  taskSubscriptions.close();
  await parts.answers.settled();
  if (!answers.isOpen) return;
  // A dying client closes stdin first, and may close stdout a moment later.
  if (!isClientGone()) await new Promise<void>((resolve) => void setTimeout(resolve, EXIT_GRACE_MS));
  answers.end(isClientGone() ? 'lost' : 'read');
  await parts.answers.settled();
}
