/** What tasks keep beside their results, as resources of the server: read by those who may read the task. */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Caller, RpcResult } from '../../dialects/server-port.ts';
import { RpcFailure } from '../../dialects/shared/outcomes/rpc-failure.ts';
import { isTaskError } from '../../errors.ts';
import { ARTIFACT_READ_BYTES } from '../../limits.ts';
import { RPC_CODES } from '../../rpc-codes.ts';
import { type ArtifactPart, isArtifactUri, parseArtifactUri } from '../../task/artifact.ts';
import type { ServerParts } from '../server-parts.ts';
import { type Handlers, type ResourceRequest, toReadUri } from './resource-handlers.ts';

const READ = 'resources/read';

/** Takes requests for artifacts away from whoever answers for the owner's resources; what is not handled is ours already. */
export function takeArtifactReads({ server }: McpServer): void {
  const { _requestHandlers: handlers, fallbackRequestHandler: ours } = server as unknown as Handlers;
  const before = handlers.get(READ);
  if (!before || !ours) return;
  handlers.set(READ, (request, context) =>
    isArtifactRead(request) ? ours(request, context) : before(request, context),
  );
}

/** The answer to a request for an artifact; nothing for another request. */
export async function readArtifactPart(
  parts: ServerParts,
  request: ResourceRequest,
  caller: Caller,
): Promise<RpcResult | undefined> {
  if (!isArtifactRead(request) || !parts.port.hasTasks()) return undefined;
  return readPart(parts, String(request.params?.uri), caller);
}

function isArtifactRead(request: ResourceRequest): boolean {
  const uri = toReadUri(request);
  return uri !== undefined && isArtifactUri(uri);
}

/** One part of an artifact, as much as may be read at once. */
async function readPart({ port }: ServerParts, uri: string, { principal, era }: Caller): Promise<RpcResult> {
  try {
    const { taskId, name, offset = 0, limit = ARTIFACT_READ_BYTES } = parseArtifactUri(uri);
    const engine = await port.openEngine();
    const range = { offset, limit: Math.min(limit, ARTIFACT_READ_BYTES), principal };
    return { contents: [toContents(uri, await engine.artifact(taskId, name, range))] };
  } catch (error) {
    // Which of them it was is nobody's business who may not read it.
    const isMissing = isTaskError(error, 'TASK_NOT_FOUND') || isTaskError(error, 'ARTIFACT_NOT_FOUND');
    const code = era === 'modern' ? RPC_CODES.INVALID_PARAMS : RPC_CODES.RESOURCE_NOT_FOUND;
    if (isMissing) throw new RpcFailure(code, `Resource ${uri} not found`, { uri });
    throw error;
  }
}

function toContents(uri: string, { mimeType, size, offset, bytes, isText, nextOffset }: ArtifactPart): RpcResult {
  const range = { offset, bytes: bytes.length, size, ...(nextOffset !== undefined && { nextOffset }) };
  const data = isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
  return { uri, mimeType, ...data, _meta: { 'holdfast/range': range } };
}
