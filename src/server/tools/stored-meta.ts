import type { Json } from '../../task/json.ts';
import type { TraceContext } from '../../task/record.ts';

type Meta = { readonly [key: string]: unknown };

const LABEL = 'meta';

/** Stores the `_meta` of a call as a task label, not in the input, because calls are compared by their input. */
export function toMetaLabel(meta: Meta): Record<string, string> {
  return Object.keys(meta).length === 0 ? {} : { [LABEL]: JSON.stringify(meta) };
}

export function readStoredMeta(labels: Readonly<Record<string, string>>): { readonly [key: string]: Json } {
  const kept = Object.hasOwn(labels, LABEL) ? labels[LABEL] : undefined;
  return kept === undefined ? {} : (JSON.parse(kept) as { readonly [key: string]: Json });
}

/** Reads the trace context of a call, if any: https://modelcontextprotocol.io/specification/2026-07-28/basic */
export function readTrace({ traceparent, tracestate, baggage }: Meta): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  return {
    traceparent,
    ...(typeof tracestate === 'string' && { tracestate }),
    ...(typeof baggage === 'string' && { baggage }),
  };
}
