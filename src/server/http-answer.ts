import { toTaskError } from '../errors.ts';

export interface HttpFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** The request it answers, as far as that is known. */
  readonly id?: string | number | null | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP error whose body is a JSON-RPC error. */
export function refuse(status: number, { code, message, data, id, headers }: HttpFailure): Response {
  const error = { code, message, ...(data !== undefined && { data }) };
  return Response.json({ jsonrpc: '2.0', error, id: id ?? null }, { status, ...(headers && { headers }) });
}

export function refuseFailed(error: unknown): Response {
  const { traits, message } = toTaskError(error);
  return refuse(traits.http, { code: traits.rpc, message });
}
