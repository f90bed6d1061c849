import { TaskError } from '../errors.ts';
import { invalidField } from '../invalid-field.ts';
import type { Artifacts } from '../store/contracts/artifact-contract.ts';
import {
  ARTIFACT_PIECE_BYTES,
  type ArtifactHead,
  type ArtifactPart,
  type ArtifactRange,
  checkArtifactName,
  findCharacterBounds,
} from '../task/artifact.ts';

/** Reads the pieces of an artifact that a range touches. Throws `ARTIFACT_NOT_FOUND` when it does not exist, or has expired. */
export async function readArtifact(
  artifacts: Artifacts,
  { taskId, name }: { readonly taskId: string; readonly name: string },
  { offset = 0, limit = Number.POSITIVE_INFINITY }: ArtifactRange,
): Promise<ArtifactPart> {
  checkArtifactName(name);
  if (!Number.isInteger(offset) || offset < 0) throw invalidField('offset', offset, 'a whole number from 0 up');
  if (!(limit > 0)) throw invalidField('limit', limit, 'a number from 1 up');
  const read = async (index: number): Promise<string> => {
    const text = await artifacts.read(taskId, { name, index });
    if (text !== undefined) return text;
    throw new TaskError('ARTIFACT_NOT_FOUND', `task ${taskId} has no artifact ${name}, or its time is up`);
  };
  const head = JSON.parse(await read(0)) as ArtifactHead;
  const from = Math.min(offset, head.size);
  const to = Math.min(head.size, from + limit);
  const bytes = await readBytes(read, from, to);
  return toPart(head, { from, to, bytes });
}

async function readBytes(read: (index: number) => Promise<string>, from: number, to: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const first = Math.floor(from / ARTIFACT_PIECE_BYTES);
  for (let piece = first; piece * ARTIFACT_PIECE_BYTES < to; piece++) {
    pieces.push(Buffer.from(await read(piece + 1), 'base64'));
  }
  const start = first * ARTIFACT_PIECE_BYTES;
  return Buffer.concat(pieces).subarray(from - start, to - start);
}

interface Read {
  readonly from: number;
  readonly to: number;
  readonly bytes: Buffer;
}

function toPart(head: ArtifactHead, { from, to, bytes }: Read): ArtifactPart {
  if (!head.isText) return { ...head, offset: from, bytes, ...(to < head.size && { nextOffset: to }) };
  const { start, end } = findCharacterBounds(bytes);
  // A range shorter than one character would never make progress.
  const isNothing = end <= start && bytes.length > 0;
  if (isNothing) throw new TaskError('INVALID_ARGUMENT', 'limit is too small for one letter; expected 4 or more');
  const whole = bytes.subarray(start, end);
  const nextOffset = from + end;
  return { ...head, offset: from + start, bytes: whole, ...(nextOffset < head.size && { nextOffset }) };
}
