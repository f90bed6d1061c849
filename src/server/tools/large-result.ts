/**
 * Results that are too large for an answer.
 *
 * Parts too large for a model to read become artifacts of the task, and the result has links instead; a text also keeps
 * its beginning and its end. The shortened result is the one that is stored, so every dialect shows the same.
 */
import type { TaskContext } from '../../engine/attempts/context.ts';
import { TaskError } from '../../errors.ts';
import { SHOWN_RESULT } from '../../limits.ts';
import { type Artifact, findCharacterBounds, parseArtifactUri } from '../../task/artifact.ts';
import type { CallResult } from './call-result.ts';

type Block = CallResult['content'][number];

export interface ShowLimits {
  /** Bytes of all texts of a result together. */
  readonly textBytes: number;
  /** Bytes of one image, audio clip or file. */
  readonly binaryBytes: number;
  /** Bytes of the whole result. */
  readonly maxBytes: number;
}

/** The content of a block, which may be too large. */
interface Payload {
  readonly data: string | Buffer;
  readonly bytes: number;
  readonly mimeType?: string;
}

interface Kept {
  readonly task: Pick<TaskContext, 'artifact'>;
  readonly limits: ShowLimits;
  /** Whether the structured value must stay: clients check it against the tool's schema. */
  readonly hasSchema: boolean;
}

/** Returns the result with links instead of oversized parts; the same object when there are none. */
export async function shortenResult(result: CallResult, { task, limits, hasSchema }: Kept): Promise<CallResult> {
  const payloads = result.content.map(readPayload);
  const structured = hasSchema ? undefined : toStructuredPayload(result.structuredContent, limits);
  const moved = chooseMoved(payloads, limits);
  if (moved.size === 0 && !structured) return result;
  checkWhole([...payloads, structured], limits);
  const names = new Names();
  const content: Block[] = [];
  for (const [at, block] of result.content.entries()) {
    const payload = payloads[at];
    if (!payload || !moved.has(at)) content.push(block);
    else content.push(...(await move(task, payload, names.next('result'))));
  }
  if (!structured) return { ...result, content };
  const { structuredContent: _moved, ...rest } = result;
  return { ...rest, content: [...content, ...(await move(task, structured, names.next('structured')))] };
}

/** Moves the largest texts until the others fit together, and each file that is too large by itself. */
function chooseMoved(payloads: readonly (Payload | undefined)[], limits: ShowLimits): ReadonlySet<number> {
  const moved = new Set<number>();
  const texts: { readonly at: number; readonly bytes: number }[] = [];
  for (const [at, payload] of payloads.entries()) {
    if (!payload) continue;
    if (typeof payload.data === 'string') texts.push({ at, bytes: payload.bytes });
    else if (payload.bytes > limits.binaryBytes) moved.add(at);
  }
  let left = texts.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { at, bytes } of texts.sort((one, other) => other.bytes - one.bytes)) {
    if (left <= limits.textBytes) break;
    // An excerpt of a short text, plus its link, would be longer than the text.
    if (bytes <= SHOWN_RESULT.headBytes + SHOWN_RESULT.tailBytes) break;
    moved.add(at);
    left -= bytes;
  }
  return moved;
}

function checkWhole(payloads: readonly (Payload | undefined)[], { maxBytes }: ShowLimits): void {
  const bytes = payloads.reduce((sum, payload) => sum + (payload?.bytes ?? 0), 0);
  if (bytes <= maxBytes) return;
  const remedy = 'return a link to a file instead, or raise maxResultBytes';
  const message = `the result has ${bytes} bytes; expected at most ${maxBytes}: ${remedy}`;
  throw new TaskError('RESULT_TOO_LARGE', message, { data: { bytes, maxBytes } });
}

function readPayload(block: Block): Payload | undefined {
  const { type, text, data, resource } = block as Record<string, unknown>;
  if (type === 'text' && typeof text === 'string') return toText(text, 'text/plain');
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return toBinary(data, block.mimeType);
  if (type !== 'resource' || resource === null || typeof resource !== 'object') return undefined;
  const inside = resource as Record<string, unknown>;
  if (typeof inside.text === 'string') return toText(inside.text, inside.mimeType);
  return typeof inside.blob === 'string' ? toBinary(inside.blob, inside.mimeType) : undefined;
}

function toStructuredPayload(value: unknown, { textBytes }: ShowLimits): Payload | undefined {
  if (value === undefined) return undefined;
  const payload = toText(JSON.stringify(value), 'application/json');
  return payload.bytes > textBytes ? payload : undefined;
}

function toText(data: string, mimeType: unknown): Payload {
  return { data, bytes: Buffer.byteLength(data), ...toMimeType(mimeType) };
}

function toBinary(base64: string, mimeType: unknown): Payload {
  const data = Buffer.from(base64, 'base64');
  return { data, bytes: data.length, ...toMimeType(mimeType) };
}

function toMimeType(mimeType: unknown): { readonly mimeType?: string } {
  return typeof mimeType === 'string' ? { mimeType } : {};
}

async function move(task: Kept['task'], { data, mimeType }: Payload, name: string): Promise<Block[]> {
  const artifact = await task.artifact(name, data, mimeType === undefined ? {} : { mimeType });
  const link = { type: 'resource_link', ...artifact };
  return typeof data === 'string' ? [{ type: 'text', text: toExcerpt(data, artifact) }, link] : [link];
}

/** Returns the beginning and the end of a text, and between them how to read the rest. */
function toExcerpt(text: string, { uri, size }: Artifact): string {
  const bytes = Buffer.from(text);
  const head = toWholeText(bytes.subarray(0, SHOWN_RESULT.headBytes));
  const tail = toWholeText(bytes.subarray(bytes.length - SHOWN_RESULT.tailBytes));
  const left = size - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const offset = Buffer.byteLength(head);
  const { taskId, name } = parseArtifactUri(uri);
  const how = `read ${uri}?offset=${offset}, or call task_wait with task_id ${taskId}, part ${name} and offset ${offset}`;
  return `${head}\n\n[… ${left} of ${size} bytes are left out here; ${how} …]\n\n${tail}`;
}

function toWholeText(bytes: Buffer): string {
  const { start, end } = findCharacterBounds(bytes);
  return bytes.toString('utf8', start, end);
}

/** Generates `result`, `result-2`, … */
class Names {
  readonly #given = new Map<string, number>();

  next(name: string): string {
    const many = (this.#given.get(name) ?? 0) + 1;
    this.#given.set(name, many);
    return many === 1 ? name : `${name}-${many}`;
  }
}
