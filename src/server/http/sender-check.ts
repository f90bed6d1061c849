/** Checks which pages may send requests, and by which host names a server may be addressed. */

import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import { RPC_CODES } from '../../rpc-codes.ts';
import { refuse } from '../admission/refusals.ts';
import type { HttpSettings } from '../http-options.ts';

/** Returns the refusal of a request by its headers alone; undefined when it is allowed. */
export function refuseForeign(
  request: Request,
  { allowedHosts, allowedOrigins }: Pick<HttpSettings, 'allowedHosts' | 'allowedOrigins'>,
): Response | undefined {
  const foreign = hostHeaderValidationResponse(request, [...allowedHosts]);
  if (foreign) return foreign;
  const origin = request.headers.get('origin');
  // Programs other than browsers send no origin; this check is not against them.
  if (origin === null || allowedOrigins.includes(origin) || origin === toOwnOrigin(request)) return undefined;
  return refuse(403, {
    code: RPC_CODES.SERVER_ERROR,
    message: 'Invalid Origin: name it in http.allowedOrigins to let its pages in',
  });
}

/** Returns the origin of the server's own pages: the host that was checked, with its port. */
function toOwnOrigin(request: Request): string | undefined {
  const { protocol } = new URL(request.url);
  const own = `${protocol}//${request.headers.get('host')}`;
  return URL.canParse(own) ? new URL(own).origin : undefined;
}
