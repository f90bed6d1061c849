import { dirname, resolve } from 'node:path';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import type { PayloadCodec } from '../codec/codec.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { JsonObject } from '../dialects/host-port.ts';
import type { InputRequest } from '../dialects/shared/questions/mcp-input.ts';
import { isObject } from '../is-object.ts';
import { HOST_MAX_ANSWER_BYTES } from '../limits.ts';
import { codecOption, redactOption } from '../options/codec-option.ts';
import { callback, flag, isText, objectWith, onlyFields, text, value, whole } from '../options/option-schemas.ts';
import { type OptionsShape, optionsParser } from '../options/options-parser.ts';
import { reportToStderr } from '../stderr.ts';
import type { HostDialects } from './host-dialects.ts';
import type { Ledger } from './ledger/contract.ts';

/** A request of a server to the user, the model or the host. */
export interface HostQuestion extends InputRequest {
  readonly server: string;
  /** The call it belongs to, when that is known. */
  readonly callId?: string;
  readonly tool?: string;
  /** The server's own name for the question, if it gave one. */
  readonly name?: string;
  /** Why the server rejected the previous answer, in its words: it asks the same question again. */
  readonly refusal?: string;
  /** Fires when the answer is not needed any more. */
  readonly signal: AbortSignal;
}

/** Options of `createHost`. */
export interface HostOptions {
  /** Where calls are stored: the path of a SQLite file, or a ledger. Without it, calls end with this process. */
  readonly ledger?: string | Ledger;
  /**
   * Encodes arguments, handles, outcomes and answers before they are written to the ledger, so that they cannot be read from its
   * file. Every host that uses the ledger needs the same codec.
   *
   * @default payloads are stored in clear, except answers marked secret and arguments named by `redact`
   */
  readonly codec?: PayloadCodec;
  /**
   * Arguments that `calls` masks and the ledger does not store in clear: field names, at any depth, and JSON pointers in which
   * `*` matches any member. Servers receive the real values.
   */
  readonly redact?: readonly string[];
  /** The client name and version that servers see. @default { name: 'holdfast', version: … } */
  readonly client?: { readonly name: string; readonly version: string };
  /**
   * Answers requests of servers; its return value is the result of that request. Without it, the host declares that it answers no
   * questions.
   */
  readonly onQuestion?: (question: HostQuestion) => Promise<JsonObject> | JsonObject;
  /** The kinds of questions that servers may ask. @default elicitation, when there is `onQuestion` */
  readonly capabilities?: Pick<ClientCapabilities, 'elicitation' | 'sampling' | 'roots'>;
  /** Timeout of the handshake with a server, in milliseconds. @default 30_000 */
  readonly connectMs?: number;
  /**
   * The longest message accepted from a server, in bytes. A call whose response is longer ends as an error (`RESULT_TOO_LARGE`),
   * so that no server can fill the memory of its host.
   *
   * @default 16_777_216
   */
  readonly maxAnswerBytes?: number;
  /**
   * Whether a separate process, the keeper, holds servers on stdio, and calls over HTTP to servers that are not built on
   * Holdfast, so that neither they nor their responses are lost when this process ends. Needs a ledger in a file.
   *
   * @default true; where a keeper is impossible, `onError` is called with the reason, and servers end with this process
   */
  readonly keeper?: boolean;
  /** How long acknowledged calls can still be listed, in milliseconds. @default 86_400_000 */
  readonly keepMs?: number;
  /**
   * The directory of the apps' prompt logs. A log that a server or a plugin names must be inside it.
   *
   * @default the directory of the ledger's file
   */
  readonly stateDir?: string;
  /** Allows servers and plugins to name logs outside `stateDir`. @default false */
  readonly allowOutside?: boolean;
  /**
   * Your own dialects, tried before the built-in ones. After a restart, calls in them can only be followed by a host that has
   * them too.
   */
  readonly dialects?: readonly Dialect[];
  /** Called with errors that no caller receives. @default a line on stderr */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
}

export interface HostSettings extends ParsedHostOptions {
  readonly dialects: HostDialects;
}

interface ParsedHostOptions {
  readonly codec: PayloadCodec | undefined;
  readonly redact: readonly string[] | undefined;
  readonly client: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  readonly onQuestion: HostOptions['onQuestion'];
  readonly connectMs: number;
  readonly maxAnswerBytes: number;
  readonly keeper?: boolean | undefined;
  readonly keepMs: number;
  readonly stateDir: string | undefined;
  readonly allowOutside: boolean;
  readonly clock: Clock;
  report(error: unknown): void;
}

const ASKABLE = ['elicitation', 'sampling', 'roots'];
// The error that says a message was too large must itself fit.
const MIN_ANSWER_BYTES = 1024;

const parseFields = optionsParser(() =>
  onlyFields({
    ledger: value<string | Ledger>('a path or a ledger', (ledger) => isText(ledger) || isLedger(ledger)).optional(),
    codec: codecOption().optional(),
    redact: redactOption().optional(),
    client: z
      .object({ name: text(), version: text() }, '{ name, version } with non-empty texts')
      .default({ name: 'holdfast', version: '0.1.0' }),
    onQuestion: callback<NonNullable<HostOptions['onQuestion']>>().optional(),
    capabilities: value<Capabilities>(`an object with some of ${ASKABLE.join(', ')}`, areCapabilities).optional(),
    connectMs: whole(0).default(30_000),
    maxAnswerBytes: value<number>(`a whole number from ${MIN_ANSWER_BYTES} up`, isAnswerLimit).default(
      HOST_MAX_ANSWER_BYTES,
    ),
    keeper: flag().optional(),
    keepMs: whole(0).default(86_400_000),
    stateDir: value<string>('a path', isText).optional(),
    allowOutside: flag().default(false),
    dialects: value<readonly Dialect[]>('a list of dialects, each with a name', areDialects).optional(),
    onError: callback<(error: unknown) => void>().default(() => reportToStderr),
    // As a function: zod copies a default that is no function, and a copy would not be the system clock.
    clock: objectWith<Clock>('a clock', 'after').default(() => systemClock),
  } satisfies OptionsShape<HostOptions>).refine(
    ({ onQuestion, capabilities = {} }) => onQuestion !== undefined || Object.keys(capabilities).length === 0,
    { path: ['capabilities'], error: 'to allow questions only with an onQuestion that answers them' },
  ),
);

type Capabilities = NonNullable<HostOptions['capabilities']>;

export function parseHostOptions(options: HostOptions): ParsedHostOptions {
  const { ledger, dialects: _, onError, ...given } = parseFields(options);
  const { codec, redact, onQuestion } = given;
  const asks: ClientCapabilities = onQuestion ? { elicitation: { form: {}, url: {} } } : {};
  const { capabilities = asks } = given;
  const stateDir = toStateDir(given.stateDir, ledger);
  return { ...given, codec, redact, onQuestion, capabilities, stateDir, report: onError };
}

function toStateDir(stateDir: string | undefined, ledger: string | Ledger | undefined): string | undefined {
  if (stateDir !== undefined) return resolve(stateDir);
  return typeof ledger === 'string' ? dirname(resolve(ledger)) : undefined;
}

function areCapabilities(value: unknown): boolean {
  return isObject(value) && Object.keys(value).every((name) => ASKABLE.includes(name));
}

function isAnswerLimit(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= MIN_ANSWER_BYTES;
}

function areDialects(value: unknown): boolean {
  const isHalf = (half: unknown) => half === undefined || typeof half === 'function';
  return Array.isArray(value) && value.every((one) => isObject(one) && isText(one.name) && isHalf(one.host));
}

function isLedger(value: unknown): boolean {
  return isObject(value) && typeof value.create === 'function' && typeof value.settle === 'function';
}
