/**
 * A simulated app that follows the `ui-prompts.jsonl` contract, to try it without a real one: it acknowledges the call at once,
 * and writes the result to the log a moment later, where the host reads it as that of any app.
 */
import { join } from 'node:path';
import { createPromptLog, LOG_NAME } from '../../dialects/ui-prompts/index.ts';
import type { JsonObject, TransportSpec } from '../../host/index.ts';
import { isObject } from '../../is-object.ts';
import { RPC_CODES } from '../../rpc-codes.ts';

export const SIMULATION = 'simulation';
export const SIMULATED_TOOL = 'async_task';

const WORK_MS = 1500;

type Transport = Awaited<ReturnType<TransportSpec['transport']>>;
type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

export interface SimulationOptions {
  /** Called when the app has acknowledged a call. */
  onAck(taskId: string): void;
  report(error: unknown): void;
}

/** Returns the spec with which a host connects to the app. */
export function toSimulation(options: SimulationOptions): TransportSpec {
  return {
    transport: () => openTransport(options),
    callMeta: {
      asyncTask: { tools: [SIMULATED_TOOL], taskIdKey: 'taskId', resultSource: 'ui_prompts', uiPromptFile: LOG_NAME },
    },
  };
}

function openTransport(options: SimulationOptions): Transport {
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    async send(message) {
      if (!('method' in message) || !('id' in message)) return;
      const params = (isObject(message.params) ? message.params : {}) as JsonObject;
      const answer = reply(message.method, params, options);
      queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, ...answer } as Message));
    },
  };
  return transport;
}

function reply(method: string, params: JsonObject, options: SimulationOptions): JsonObject {
  switch (method) {
    case 'initialize':
      return {
        result: { protocolVersion: params.protocolVersion ?? '', capabilities: { tools: {} }, serverInfo: INFO },
      };
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: [TOOL] } };
    case 'tools/call':
      return acknowledge(params, options);
    default:
      return { error: { code: RPC_CODES.METHOD_NOT_FOUND, message: `there is no method ${method}` } };
  }
}

const INFO = { name: 'simulated-app', version: '1.0.0' };
const TOOL = {
  name: SIMULATED_TOOL,
  description: 'Acknowledges the call, and writes its result to the log of prompts a moment later',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
};

function acknowledge({ _meta, arguments: args }: JsonObject, { onAck, report }: SimulationOptions): JsonObject {
  const meta = isObject(_meta) ? _meta : {};
  const chatos = isObject(meta.chatos) ? meta.chatos : {};
  const { stateDir } = isObject(chatos.uiApp) ? chatos.uiApp : {};
  const { taskId } = meta;
  if (typeof taskId !== 'string' || taskId === '' || typeof stateDir !== 'string')
    return {
      error: { code: RPC_CODES.INVALID_PARAMS, message: '_meta.taskId and _meta.chatos.uiApp.stateDir are required' },
    };
  onAck(taskId);
  const said = isObject(args) && typeof args.message === 'string' ? args.message : '';
  const write = () => {
    const text = `AsyncTask result for ${taskId}${said === '' ? '' : `\n\n> ${said}`}`;
    const log = createPromptLog({ path: join(stateDir, LOG_NAME) });
    const title = 'AsyncTask Test';
    log
      .publishResult({ requestId: taskId, text, status: 'completed', title, source: 'sandbox-async-test' })
      .catch(report);
  };
  setTimeout(write, WORK_MS);
  return { result: { content: [{ type: 'text', text: JSON.stringify({ status: 'accepted', taskId }) }] } };
}
