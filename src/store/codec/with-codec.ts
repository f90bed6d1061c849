import { buildMaybeAsync, type MaybePromise } from '../../codec/chain.ts';
import { type PayloadCodec, parseCodec } from '../../codec/codec.ts';
import { findLocalCodec } from '../../codec/local-codec.ts';
import { Sealer, type Secrets } from '../../codec/sealer.ts';
import type { Store } from '../contract.ts';
import type { OutboxMessage } from '../contracts/outbox-contract.ts';
import { warn } from '../warn.ts';
import { createCodedArtifacts } from './coded-artifacts.ts';
import { createCodedTasks, toHoldKey, toPayloadPlace } from './coded-tasks.ts';
import { mapMessage, mapTask, type Part } from './parts.ts';

/** How the payloads of a store are encoded and shown. */
export interface WithCodecOptions {
  /** Encodes all payloads. Without it they are stored in plain text, except answers and arguments that are marked secret. */
  readonly codec?: PayloadCodec | undefined;
  /** How an encoded payload is shown when its key is missing. @default an error with `STORE_KEY_MISSING` */
  readonly unreadable?: 'throw' | 'show';
  /** Receives the errors of tasks that cannot be decoded here. @default a warning of the process */
  readonly onError?: (error: unknown) => void;
}

interface WrappedStore extends WithCodecOptions {
  readonly inner: Store;
}

const wrappedStores = new WeakMap<Store, WrappedStore>();

/** Wraps a store so that payloads are encoded before they are written, and decoded when they are read. */
export function withCodec(store: Store, options: WithCodecOptions = {}): Store {
  return wrapStore(store, options, 'mask');
}

/** Like `withCodec`, for workers: a tool gets the secrets it asked for instead of masks. */
export function withSecrets(store: Store, options: WithCodecOptions = {}): Store {
  return wrapStore(store, options, 'reveal');
}

/** The store inside the codec wrapper, or the store itself. */
export function unwrapStore(store: Store): Store {
  return wrappedStores.get(store)?.inner ?? store;
}

function wrapStore(store: Store, options: WithCodecOptions, secrets: Secrets): Store {
  const before = wrappedStores.get(store);
  const inner = before?.inner ?? store;
  const codec = parseCodec(options.codec) ?? before?.codec;
  const report = options.onError ?? before?.onError ?? warn;
  const sealer = new Sealer({ codec, local: () => findLocalCodec(inner), unreadable: options.unreadable ?? 'throw' });
  const coded: Store = Object.assign(Object.create(Object.getPrototypeOf(inner)), inner, {
    tasks: createCodedTasks(inner.tasks, { sealer, secrets, report }),
    artifacts: createCodedArtifacts(inner.artifacts, sealer),
    outbox: {
      ...bindAll(inner.outbox, ['done', 'postpone', 'waiting']),
      async take(request) {
        const taken = await inner.outbox.take(request);
        return { ...taken, messages: await Promise.all(taken.messages.map((one) => openMessage(sealer, one))) };
      },
    },
    holds: {
      ...bindAll(inner.holds, ['attend', 'release', 'remove']),
      list: (key) => (key === undefined ? inner.holds.list() : inner.holds.list(toHoldKey(sealer, key))),
    },
    close: () => inner.close(),
  } satisfies Partial<Store>);
  wrappedStores.set(coded, { ...before, ...options, codec, inner });
  return coded;
}

/** Binds methods to their object, whose class may need it as `this`. */
function bindAll<T extends object, Name extends keyof T>(object: T, names: readonly Name[]): Pick<T, Name> {
  const bound = names.map((name) => [name, (object[name] as (...args: never[]) => unknown).bind(object)]);
  return Object.fromEntries(bound) as Pick<T, Name>;
}

function openMessage(sealer: Sealer, message: OutboxMessage): MaybePromise<OutboxMessage> {
  const { task, topic, data } = message;
  return buildMaybeAsync((part) => {
    const open: Part = (value, field) =>
      part(() => sealer.open(value, toPayloadPlace(task.taskId, field)) as MaybePromise<typeof value>);
    const opened = { ...message, task: mapTask(task, open) };
    return data === undefined ? opened : { ...opened, data: mapMessage(topic, data, open) };
  });
}
