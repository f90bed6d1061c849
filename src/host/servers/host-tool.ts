import type { JsonObject } from '../../dialects/host-port.ts';
import { isObject } from '../../is-object.ts';
import type { Json } from '../../task/json.ts';

/** What a server says its tool does to the world. These are hints: nothing enforces them. */
export interface HostToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
  readonly [key: string]: unknown;
}

/** A tool as its server lists it, including fields that Holdfast does not know. */
export interface HostTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A JSON Schema; one that allows any object when the server gives none. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: HostToolAnnotations;
  readonly icons?: readonly JsonObject[];
  readonly _meta?: JsonObject;
  readonly [key: string]: unknown;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const areObjects: Check = (value) => Array.isArray(value) && value.every((one) => isObject(one));

const FIELDS: Readonly<Record<string, Check>> = {
  title: isText,
  description: isText,
  inputSchema: isObject,
  outputSchema: isObject,
  annotations: isObject,
  icons: areObjects,
  _meta: isObject,
};

const HINTS: Readonly<Record<string, Check>> = {
  title: isText,
  readOnlyHint: isFlag,
  destructiveHint: isFlag,
  idempotentHint: isFlag,
  openWorldHint: isFlag,
};

/** Reads one entry of a server's list: drops fields of the wrong type; returns `undefined` for an entry without a name. */
export function readTool(entry: unknown): HostTool | undefined {
  if (!isObject<Json>(entry) || typeof entry.name !== 'string') return undefined;
  const { annotations, ...tool } = withoutWrong(entry, FIELDS);
  const hints = isObject<Json>(annotations) ? { annotations: withoutWrong(annotations, HINTS) } : {};
  return { inputSchema: { type: 'object' }, ...tool, ...hints, name: entry.name } as HostTool;
}

function withoutWrong(given: JsonObject, checks: Readonly<Record<string, Check>>): JsonObject {
  const isRight = ([name, value]: [string, Json]) => !Object.hasOwn(checks, name) || checks[name]?.(value) === true;
  return Object.fromEntries(Object.entries(given).filter(isRight));
}
