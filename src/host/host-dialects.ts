/** The dialects of one host: its own first, then the built-in ones. This is all that the host knows of them. */
import type { Dialect } from '../dialects/dialect.ts';
import type { DressedCall, HostDialect, HostPlace, NewDialectCall, SpecFields } from '../dialects/host-dialect.ts';
import type { CallHandle, HostPort, JsonObject } from '../dialects/host-port.ts';
import { DIALECTS } from '../dialects/table.ts';
import { TaskError } from '../errors.ts';

/** Loads the host halves. They are small: what follows a handle is loaded when there is one. */
export async function loadHostDialects(own: readonly Dialect[]): Promise<HostDialects> {
  const loading = [...own, ...[...DIALECTS].reverse()].map(({ host }) => host?.());
  const halves = (await Promise.all(loading)).filter((half) => half !== undefined);
  return new HostDialects(halves, own.length > 0);
}

export class HostDialects {
  /** In the order in which they are asked. */
  readonly list: readonly HostDialect[];

  /** Some are the owner's own, which no other program knows. */
  readonly hasOwn: boolean;

  constructor(list: readonly HostDialect[], hasOwn: boolean) {
    this.list = list;
    this.hasOwn = hasOwn;
  }

  /** The dialect that a handle belongs to. */
  find({ dialect: name }: CallHandle): HostDialect {
    const dialect = this.list.find((one) => one.name === name);
    if (dialect) return dialect;
    const known = this.list.map((one) => one.name).join(', ');
    const message = `the ledger names the dialect ${JSON.stringify(name)}; known are ${known}`;
    throw new TaskError('INVALID_ARGUMENT', message);
  }

  /** Extensions of the protocol that the host declares. */
  get extensions(): readonly string[] {
    return this.list.flatMap(({ extensions = [] }) => extensions);
  }

  /** Fields of a server's spec that dialects understand. */
  get specFields(): NonNullable<HostDialect['specFields']> {
    return Object.assign({}, ...this.list.map(({ specFields }) => specFields));
  }

  /** How a server is reached; a spec that is no dialect's own stays as it is. */
  async resolveSpec(spec: SpecFields, place: HostPlace): Promise<SpecFields> {
    for (const dialect of this.list) {
      const resolved = await dialect.resolveSpec?.(spec, place);
      if (resolved) return resolved;
    }
    return spec;
  }

  /** What the environment of a server must hold that the host starts. */
  serverEnv(spec: SpecFields, place: HostPlace): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.list.map((dialect) => dialect.serverEnv?.(spec, place)));
  }

  /** A call whose handle is known before it is sent; nothing for any other. */
  async prepare(call: NewDialectCall, place: HostPlace): Promise<DressedCall | undefined> {
    for (const dialect of this.list) {
      // Most calls are no dialect's own here, and are not kept waiting.
      const preparing = dialect.prepare?.(call, place);
      const prepared = preparing && (await preparing);
      if (prepared) return prepared;
    }
    return undefined;
  }

  /** The task that a request of a server's names. */
  readRelatedTask(params: JsonObject): string | undefined {
    for (const dialect of this.list) {
      const taskId = dialect.readRelatedTask?.(params);
      if (taskId !== undefined) return taskId;
    }
    return undefined;
  }

  /** Whether a handle's work is done by this task of the server's. */
  isTaskOf(handle: CallHandle, taskId: string): boolean {
    const dialect = this.list.find(({ name }) => name === handle.dialect);
    return handle.taskId === taskId || dialect?.findTaskId?.(handle) === taskId;
  }

  /** A port by which one dialect can follow work as a task of another, without knowing it. */
  withTasks(port: HostPort): HostPort {
    const findTask: HostPort['findTask'] = (taskId) => {
      for (const dialect of this.list) {
        const handle = dialect.toTaskHandle?.(taskId, port.server);
        if (!handle) continue;
        return {
          follow: (update = port.update) => dialect.follow(handle, { ...port, update }),
          cancel: () => dialect.cancel(handle, port),
        };
      }
      return undefined;
    };
    return { ...port, findTask };
  }
}
