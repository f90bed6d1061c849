import { dirname, resolve } from 'node:path';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { type Clock, systemClock } from '../clock.ts';
import { type PayloadCodec, parseCodec } from '../codec/codec.ts';
import { parseRedaction } from '../codec/redaction.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { JsonObject } from '../dialects/host-port.ts';
import type { InputRequest } from '../dialects/shared/questions/mcp-input.ts';
import { invalidField } from '../invalid-field.ts';
import { isObject } from '../is-object.ts';
import { HOST_MAX_ANSWER_BYTES } from '../limits.ts';
import { reportToStderr } from '../stderr.ts';
import type { HostDialects } from './host-dialects.ts';
import type { Ledger } from './ledger/contract.ts';

/** Something a server wants from the user, the model or the host. */
export interface HostQuestion extends InputRequest {
  readonly server: string;
  /** The call it belongs to, when that can be told. */
  readonly callId?: string;
  readonly tool?: string;
  /** Fires when the answer is not needed any more. */
  readonly signal: AbortSignal;
}

/** How a host is opened. */
export interface HostOptions {
  /** Where calls are kept: a SQLite file, or a ledger. Without one, calls end with this process. */
  readonly ledger?: string | Ledger;
  /**
   * Encodes arguments, handles, outcomes and answers before they are written to the ledger, so that whoever gets at its
   * file reads none of them. Every host on the ledger needs it.
   *
   * @default payloads lie in clear, but for answers marked secret and arguments named by `redact`
   */
  readonly codec?: PayloadCodec;
  /**
   * Arguments that `calls` does not show and the ledger does not keep in clear: names of fields, at any depth, and JSON
   * pointers in which `*` stands for any member. Servers get them as they are.
   */
  readonly redact?: readonly string[];
  /** What servers see. @default { name: 'holdfast', version: … } */
  readonly client?: { readonly name: string; readonly version: string };
  /** Answers what servers ask; its result is the result of that request. Without it, servers are told not to ask. */
  readonly onQuestion?: (question: HostQuestion) => Promise<JsonObject> | JsonObject;
  /** What servers may ask. @default elicitation, when there is `onQuestion` */
  readonly capabilities?: Pick<ClientCapabilities, 'elicitation' | 'sampling' | 'roots'>;
  /** How long shaking hands with a server may take. @default 30_000 */
  readonly connectMs?: number;
  /**
   * The longest message that is taken from a server, in bytes. A call whose answer is longer ends as an error
   * (`RESULT_TOO_LARGE`), so that no server can fill the memory of its host.
   *
   * @default 16_777_216
   */
  readonly maxAnswerBytes?: number;
  /** How long acknowledged calls can still be listed. @default 86_400_000 */
  readonly keepMs?: number;
  /**
   * Where apps keep their log of prompts. What a server or a plugin names must lie in it.
   *
   * @default the directory of the ledger's file
   */
  readonly stateDir?: string;
  /** Lets servers and plugins name logs outside of `stateDir`. @default false */
  readonly allowOutside?: boolean;
  /**
   * Dialects of your own, asked before the built-in ones. Calls in them are followed after a restart by a host that has
   * them too.
   */
  readonly dialects?: readonly Dialect[];
  /** Hears of failures nobody waits for. @default a line on stderr */
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
  readonly keepMs: number;
  readonly stateDir: string | undefined;
  readonly allowOutside: boolean;
  readonly clock: Clock;
  report(error: unknown): void;
}

export function parseHostOptions(options: HostOptions): ParsedHostOptions {
  const given = checkFields(options);
  const { onQuestion, connectMs = 30_000, keepMs = 86_400_000, onError = reportToStderr } = given;
  const { maxAnswerBytes = HOST_MAX_ANSWER_BYTES } = given;
  const { client = { name: 'holdfast', version: '0.1.0' }, clock = systemClock } = given;
  const asks: ClientCapabilities = onQuestion ? { elicitation: { form: {}, url: {} } } : {};
  const { capabilities = asks } = given;
  if (!onQuestion && Object.keys(capabilities).length > 0) {
    throw invalidField('capabilities', capabilities, 'to allow questions only with an onQuestion that answers them');
  }
  const { allowOutside = false } = given;
  const stateDir = toStateDir(given);
  parseRedaction(given.redact);
  const coding = { codec: parseCodec(given.codec), redact: given.redact };
  const numbers = { connectMs, keepMs, maxAnswerBytes };
  return { ...coding, client, capabilities, onQuestion, ...numbers, stateDir, allowOutside, clock, report: onError };
}

function toStateDir({ stateDir, ledger }: HostOptions): string | undefined {
  if (stateDir !== undefined) return resolve(stateDir);
  return typeof ledger === 'string' ? dirname(resolve(ledger)) : undefined;
}

interface Rule {
  readonly expected: string;
  isValid(value: unknown): boolean;
}

const FUNCTION: Rule = { expected: 'a function', isValid: (value) => typeof value === 'function' };
const TIME: Rule = {
  expected: 'a whole number from 0 up',
  isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const ASKABLE = ['elicitation', 'sampling', 'roots'];

const FIELDS: Readonly<Record<keyof HostOptions, Rule>> = {
  ledger: { expected: 'a path or a ledger', isValid: (value) => isText(value) || isLedger(value) },
  // These two say themselves what is wrong with them.
  codec: { expected: '', isValid: () => true },
  redact: { expected: '', isValid: () => true },
  client: { expected: '{ name, version } with non-empty texts', isValid: isClient },
  onQuestion: FUNCTION,
  capabilities: {
    expected: `an object with some of ${ASKABLE.join(', ')}`,
    isValid: (value) => isObject(value) && Object.keys(value).every((name) => ASKABLE.includes(name)),
  },
  connectMs: TIME,
  maxAnswerBytes: {
    expected: 'a whole number from 1024 up',
    isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 1024,
  },
  keepMs: TIME,
  stateDir: { expected: 'a path', isValid: isText },
  dialects: { expected: 'a list of dialects, each with a name', isValid: isDialects },
  allowOutside: { expected: 'true or false', isValid: (value) => typeof value === 'boolean' },
  onError: FUNCTION,
  clock: { expected: 'a clock', isValid: (value) => isObject(value) && typeof value.after === 'function' },
};

function checkFields(options: HostOptions): HostOptions {
  if (!isObject(options)) throw invalidField('the options', options, 'an object');
  const unknown = Object.keys(options).find((field) => !(field in FIELDS));
  if (unknown !== undefined) throw invalidField('an option', unknown, `one of ${Object.keys(FIELDS).join(', ')}`);
  for (const [field, { isValid, expected }] of Object.entries(FIELDS)) {
    const value = options[field as keyof HostOptions];
    if (value !== undefined && !isValid(value)) throw invalidField(field, value, expected);
  }
  return options;
}

function isClient(value: unknown): boolean {
  return isObject(value) && isText(value.name) && isText(value.version);
}

function isDialects(value: unknown): boolean {
  const isHalf = (half: unknown) => half === undefined || typeof half === 'function';
  return Array.isArray(value) && value.every((one) => isObject(one) && isText(one.name) && isHalf(one.host));
}

function isLedger(value: unknown): boolean {
  return isObject(value) && typeof value.create === 'function' && typeof value.settle === 'function';
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
