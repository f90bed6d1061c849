/** Serves artifacts of tasks as resources, to callers that may read the task. */
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

/**
 * Redirects reads of artifacts from the owner's resource handler to our fallback; without such a handler they get there
 * anyway.
 */
export function interceptArtifactReads({ server }: McpServer): void {
  const { _requestHandlers: handlers, fallbackRequestHandler: ours } = server as unknown as Handlers;
  const before = handlers.get(READ);
  if (!before || !ours) return;
  handlers.set(READ, (request, context) =>
    isArtifactRead(request) ? ours(request, context) : before(request, context),
  );
}

/** Answers a request to read an artifact; returns undefined for another request. */
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

/** Reads one part of an artifact, up to the limit of one read. */
async function readPart({ port }: ServerParts, uri: string, { principal, era }: Caller): Promise<RpcResult> {
  try {
    const { taskId, name, offset = 0, limit = ARTIFACT_READ_BYTES } = parseArtifactUri(uri);
    const engine = await port.openEngine();
    const range = { offset, limit: Math.min(limit, ARTIFACT_READ_BYTES), principal };
    return { contents: [toContents(uri, await engine.artifact(taskId, name, range))] };
  } catch (error) {
    // Do not reveal to a caller without access whether the task or the artifact is missing.
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
