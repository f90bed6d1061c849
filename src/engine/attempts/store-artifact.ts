import { TaskError } from '../../errors.ts';
import { type Artifact, type ArtifactHead, checkArtifactName, toArtifactUri, toPieces } from '../../task/artifact.ts';
import type { LeaseWriter } from './lease-writer.ts';

/** Options for storing an artifact. */
export interface ArtifactOptions {
  /** @default 'text/plain' for a text, 'application/octet-stream' for bytes */
  readonly mimeType?: string;
}

/** Where an artifact is stored, and how large it may be. */
export interface ArtifactDestination {
  readonly taskId: string;
  readonly writer: LeaseWriter;
  readonly maxBytes: number;
}

/** Stores a text or a file beside the task, piece by piece; it is complete when this resolves. */
export async function storeArtifact(
  { taskId, writer, maxBytes }: ArtifactDestination,
  name: string,
  { data, mimeType }: ArtifactOptions & { readonly data: string | Uint8Array },
): Promise<Artifact> {
  checkArtifactName(name);
  const isText = typeof data === 'string';
  const bytes = isText ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const size = bytes.length;
  if (size > maxBytes) {
    const message = `artifact ${name} has ${size} bytes; expected at most ${maxBytes}; raise maxResultBytes`;
    throw new TaskError('RESULT_TOO_LARGE', message);
  }
  const head: ArtifactHead = {
    mimeType: mimeType ?? (isText ? 'text/plain' : 'application/octet-stream'),
    size,
    isText,
  };
  for (const [index, text] of toPieces(bytes, head).entries()) await writer.writeArtifactPiece({ name, index, text });
  return { uri: toArtifactUri(taskId, name), name, mimeType: head.mimeType, size };
}
