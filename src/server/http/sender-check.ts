/** Which pages may send requests, and under which names a server may be addressed. */

import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import { RPC_CODES } from '../../rpc-codes.ts';
import { refuse } from '../admission/refusals.ts';
import type { HttpSettings } from '../http-options.ts';

/** Why the sender of a request is refused by its headers alone; nothing when it is not. */
export function refuseForeign(
  request: Request,
  { allowedHosts, allowedOrigins }: Pick<HttpSettings, 'allowedHosts' | 'allowedOrigins'>,
): Response | undefined {
  const foreign = hostHeaderValidationResponse(request, [...allowedHosts]);
  if (foreign) return foreign;
  const origin = request.headers.get('origin');
  // Programs that are no browsers send none, and are not what this guards against.
  if (origin === null || allowedOrigins.includes(origin) || origin === toOwnOrigin(request)) return undefined;
  return refuse(403, {
    code: RPC_CODES.SERVER_ERROR,
    message: 'Invalid Origin: name it in http.allowedOrigins to let its pages in',
  });
}

/** Where a page of the server itself would come from: the host that was checked, with its port. */
function toOwnOrigin(request: Request): string | undefined {
  const { protocol } = new URL(request.url);
  const own = `${protocol}//${request.headers.get('host')}`;
  return URL.canParse(own) ? new URL(own).origin : undefined;
}
