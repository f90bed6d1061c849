/** Artifacts, the outputs of a task that are too large for its result: how they are named, split into pieces and read. */
import { TaskError } from '../errors.ts';

/** An artifact as it is shown to those who may read it: the fields of an MCP `resource_link`. */
export interface Artifact {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  /** Size in bytes: of the text in UTF-8, or of the file. */
  readonly size: number;
}

/** The first stored piece of an artifact: its metadata. */
export interface ArtifactHead {
  readonly mimeType: string;
  readonly size: number;
  readonly isText: boolean;
}

/** The part of an artifact to read. */
export interface ArtifactRange {
  /** The first byte to read. @default 0 */
  readonly offset?: number;
  /**
   * The maximum number of bytes. A text is cut between characters, so a few less may be returned.
   *
   * @default as many as may be sent
   */
  readonly limit?: number;
}

/** A part of an artifact. */
export interface ArtifactPart extends ArtifactHead {
  readonly offset: number;
  readonly bytes: Buffer;
  /** The offset of the next part; absent after the last one. */
  readonly nextOffset?: number;
}

/** Bytes per piece: a multiple of three, so that pieces in base64 need no padding. */
export const ARTIFACT_PIECE_BYTES = 196_608;

const NAME = /^[\w.-]{1,100}$/;
const SCHEME = 'holdfast://task/';

/** Throws `INVALID_ARGUMENT` for an invalid artifact name. */
export function checkArtifactName(name: unknown): void {
  if (typeof name === 'string' && NAME.test(name)) return;
  const expected = 'a text of 1 to 100 letters, digits, _ . and -';
  throw new TaskError('INVALID_ARGUMENT', `the name of the artifact is ${JSON.stringify(name)}; expected ${expected}`);
}

/** Returns the URI of an artifact. */
export function toArtifactUri(taskId: string, name: string): string {
  return `${SCHEME}${encodeURIComponent(taskId)}/${name}`;
}

/** Whether a URI is an artifact URI, well-formed or not. */
export function isArtifactUri(uri: string): boolean {
  return uri.startsWith(SCHEME);
}

/** Parses an artifact URI; throws `INVALID_ARGUMENT` that says what is wrong with it. */
export function parseArtifactUri(uri: string): ArtifactRange & { readonly taskId: string; readonly name: string } {
  const [, task = '', name = '', query = ''] = /^holdfast:\/\/task\/([^/?#]+)\/([^/?#]+)(?:\?(.*))?$/s.exec(uri) ?? [];
  if (task === '' || !NAME.test(name)) {
    const expected = `${SCHEME}ID/NAME?offset=0&limit=65536`;
    throw new TaskError('INVALID_ARGUMENT', `the URI is ${JSON.stringify(uri.slice(0, 200))}; expected ${expected}`);
  }
  const params = new URLSearchParams(query);
  return { taskId: decode(task), name, ...readNumber(params, 'offset', 0), ...readNumber(params, 'limit', 1) };
}

/** Splits an artifact into the pieces that are stored; the first one is its metadata. */
export function toPieces(bytes: Buffer, head: ArtifactHead): string[] {
  const pieces = [JSON.stringify(head)];
  for (let at = 0; at < bytes.length; at += ARTIFACT_PIECE_BYTES) {
    pieces.push(bytes.toString('base64', at, Math.min(bytes.length, at + ARTIFACT_PIECE_BYTES)));
  }
  return pieces;
}

/** Returns the start and the end of the complete UTF-8 characters within these bytes of a text. */
export function findCharacterBounds(bytes: Buffer): { readonly start: number; readonly end: number } {
  let start = 0;
  while (start < bytes.length && start < 3 && isInside(bytes[start])) start += 1;
  let end = bytes.length;
  let last = end - 1;
  while (last > start && end - last < 4 && isInside(bytes[last])) last -= 1;
  if (last >= start && end - last < toLetterBytes(bytes[last])) end = last;
  return { start, end };
}

/** Whether a byte is a UTF-8 continuation byte. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function toLetterBytes(first = 0): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

function readNumber(params: URLSearchParams, field: 'offset' | 'limit', min: number): ArtifactRange {
  const text = params.get(field);
  if (text === null) return {};
  if (/^\d{1,15}$/.test(text) && Number(text) >= min) return { [field]: Number(text) };
  throw new TaskError(
    'INVALID_ARGUMENT',
    `${field} is ${JSON.stringify(text)}; expected a whole number from ${min} up`,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
