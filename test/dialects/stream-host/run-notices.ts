/** Notifications of a run, in the words of the contract. */
import type { JsonObject, Notification } from '../../../src/dialects/host-port.ts';

export const IDS = { requestId: 'req-1', rpcId: 7, windowId: 'w1', runId: 'run-1' };

/** Something of the run itself. */
export function told(params: JsonObject, ids: JsonObject = IDS): Notification {
  return { method: 'codex_app.window_run.stream', params: { ...ids, ...params } };
}

/** One event, with the line its server makes of it. */
export function event(seq: number, more: JsonObject = {}): Notification {
  const ts = new Date(Date.UTC(2026, 0, 1) + seq).toISOString();
  const body = { seq, ts, source: 'codex', event: { type: 'turn.started' }, ...more };
  return told({ event: body, text: `line ${seq}` });
}

/** Something the runner itself says. */
export function system(seq: number, said: JsonObject): Notification {
  return event(seq, { source: 'system', event: said });
}

/** Something the assistant said. */
export function assistant(seq: number, text: string): Notification {
  const item = { id: `item_${seq}`, type: 'agent_message', text };
  return event(seq, { event: { type: 'item.completed', item } });
}

/** The final text in chunks, counted unless told otherwise. */
export function chunks(texts: readonly string[], more: JsonObject = { chunkCount: texts.length }): Notification[] {
  const piece = { final: true, finalTextChunk: true, chunkId: 'c', finalTextComplete: texts.length === 1 };
  return texts.map((text, chunkIndex) => told({ ...piece, finalText: text, text, chunkIndex, ...more }));
}

export function whole(text: string): Notification {
  return told({ finalText: text, text, final: true });
}

export function done(status = 'completed'): Notification {
  return told({ done: true, status, finishedAt: '2026-01-01T00:00:09.000Z' });
}

export function completed(status = 'completed'): Notification {
  const end = { status, finishedAt: '2026-01-01T00:00:09.000Z', result: '😊' };
  return { method: 'codex_app.window_run.completed', params: { ...IDS, ...end } };
}
