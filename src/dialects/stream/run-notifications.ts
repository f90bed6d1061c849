/**
 * Notifications of a streamed run, as servers of this contract send them: ours, and the original ones.
 *
 * Only the end of the method's name and the id of the call are reliable; any other field may be missing.
 */
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';
import type { JsonObject, Notification } from '../host-port.ts';

/** The content of one notification about its run. */
export interface RunNotification {
  /** The id of the `tools/call` it belongs to, converted to a text. */
  readonly rpcId: string | undefined;
  readonly runId: string | undefined;
  readonly requestId: string | undefined;
  readonly windowId: string | undefined;
  readonly event: JsonObject | undefined;
  readonly text: string | undefined;
  readonly final: FinalPiece | undefined;
  /** Whether the run is over. */
  readonly isEnd: boolean;
  readonly status: string | undefined;
  readonly finishedAt: string | undefined;
}

/** The final text, or a part of it. */
export interface FinalPiece {
  readonly text: string;
  readonly chunk?: { readonly id: string; readonly index: number | undefined; readonly count: number | undefined };
}

const METHOD = /\.window_run\.(stream|done|completed)$/;

/** Statuses after which nothing more happens. */
const TERMINAL: readonly string[] = [
  'completed',
  'failed',
  'aborted',
  'cancelled',
  'canceled',
  'timeout',
  'timed_out',
  'expired',
  'interrupted',
  'error',
];

/** Whether a status says that a run is over. */
export function isRunEnd(status: string): boolean {
  return TERMINAL.includes(status.toLowerCase());
}

/** Parses a notification about a run; undefined when it is about something else. */
export function parseRunNotification({ method, params }: Notification): RunNotification | undefined {
  const kind = METHOD.exec(method)?.[1];
  if (kind === undefined) return undefined;
  const status = toText(params.status);
  return {
    rpcId: toRpcId(params.rpcId),
    runId: toText(params.runId),
    requestId: toText(params.requestId),
    windowId: toText(params.windowId),
    event: toObject(params.event),
    text: typeof params.text === 'string' ? params.text : undefined,
    final: toFinalPiece(params),
    isEnd: kind !== 'stream' || params.done === true || (status !== undefined && isRunEnd(status)),
    status,
    finishedAt: toText(params.finishedAt),
  };
}

function toFinalPiece(params: JsonObject): FinalPiece | undefined {
  const { finalText, text, final, finalTextChunk, chunkId, chunkIndex, chunkCount } = params;
  const whole = typeof finalText === 'string' ? finalText : final === true ? text : undefined;
  if (typeof whole !== 'string') return undefined;
  if (finalTextChunk !== true) return { text: whole };
  const chunk = { id: String(chunkId ?? ''), index: toCount(chunkIndex, 0), count: toCount(chunkCount, 1) };
  return { text: whole, chunk };
}

function toRpcId(value: Json | undefined): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}

function toCount(value: Json | undefined, least: number): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : undefined;
}

function toText(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function toObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? (value as JsonObject) : undefined;
}
