import type { Json } from '../../task/json.ts';
import type { TraceContext } from '../../task/record.ts';

type Meta = { readonly [key: string]: unknown };

const LABEL = 'meta';

/** Where `_meta` of a call is kept: with its task, but not as what it was called with, by which calls are compared. */
export function toMetaLabel(meta: Meta): Record<string, string> {
  return Object.keys(meta).length === 0 ? {} : { [LABEL]: JSON.stringify(meta) };
}

export function readKeptMeta(labels: Readonly<Record<string, string>>): { readonly [key: string]: Json } {
  const kept = Object.hasOwn(labels, LABEL) ? labels[LABEL] : undefined;
  return kept === undefined ? {} : (JSON.parse(kept) as { readonly [key: string]: Json });
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic: the trace that a call belongs to, if it says so. */
export function readTrace({ traceparent, tracestate, baggage }: Meta): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  return {
    traceparent,
    ...(typeof tracestate === 'string' && { tracestate }),
    ...(typeof baggage === 'string' && { baggage }),
  };
}
