/** The dialects of one host: its own first, then the built-in ones. The host knows dialects only through this module. */
import type { Dialect } from '../dialects/dialect.ts';
import type { DressedCall, HostDialect, HostPlace, NewDialectCall, SpecFields } from '../dialects/host-dialect.ts';
import type { CallHandle, HostPort, JsonObject } from '../dialects/host-port.ts';
import { DIALECTS } from '../dialects/table.ts';
import { TaskError } from '../errors.ts';

/** Loads the host halves. They are small; the code that follows a handle is loaded when there is one. */
export async function loadHostDialects(own: readonly Dialect[]): Promise<HostDialects> {
  const loading = [...own, ...[...DIALECTS].reverse()].map(({ host }) => host?.());
  const halves = (await Promise.all(loading)).filter((half) => half !== undefined);
  return new HostDialects(halves, own.length > 0);
}

export class HostDialects {
  /** In the order in which they are tried. */
  readonly list: readonly HostDialect[];

  /** Whether some are custom dialects, which other programs such as the keeper do not know. */
  readonly hasOwn: boolean;

  constructor(list: readonly HostDialect[], hasOwn: boolean) {
    this.list = list;
    this.hasOwn = hasOwn;
  }

  /** Returns the dialect that a handle belongs to. */
  find({ dialect: name }: CallHandle): HostDialect {
    const dialect = this.list.find((one) => one.name === name);
    if (dialect) return dialect;
    const known = this.list.map((one) => one.name).join(', ');
    const message = `the ledger names the dialect ${JSON.stringify(name)}; known are ${known}`;
    throw new TaskError('INVALID_ARGUMENT', message);
  }

  /** The protocol extensions that the host declares. */
  get extensions(): readonly string[] {
    return this.list.flatMap(({ extensions = [] }) => extensions);
  }

  /** The fields of a server spec that dialects define. */
  get specFields(): NonNullable<HostDialect['specFields']> {
    return Object.assign({}, ...this.list.map(({ specFields }) => specFields));
  }

  /** Resolves how a server is reached; returns a spec that no dialect resolves unchanged. */
  async resolveSpec(spec: SpecFields, place: HostPlace): Promise<SpecFields> {
    for (const dialect of this.list) {
      const resolved = await dialect.resolveSpec?.(spec, place);
      if (resolved) return resolved;
    }
    return spec;
  }

  /** Environment variables that dialects require for a server that the host starts. */
  serverEnv(spec: SpecFields, place: HostPlace): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.list.map((dialect) => dialect.serverEnv?.(spec, place)));
  }

  /** Prepares a call whose handle is known before it is sent; `undefined` for any other call. */
  async prepare(call: NewDialectCall, place: HostPlace): Promise<DressedCall | undefined> {
    for (const dialect of this.list) {
      // Awaited only when a dialect returns a promise: most calls are not prepared, and should not be delayed.
      const preparing = dialect.prepare?.(call, place);
      const prepared = preparing && (await preparing);
      if (prepared) return prepared;
    }
    return undefined;
  }

  /** Returns the id of the task that a server's request refers to. */
  readRelatedTask(params: JsonObject): string | undefined {
    for (const dialect of this.list) {
      const taskId = dialect.readRelatedTask?.(params);
      if (taskId !== undefined) return taskId;
    }
    return undefined;
  }

  /** Whether the work behind a handle is done by this task of the server. */
  isTaskOf(handle: CallHandle, taskId: string): boolean {
    const dialect = this.list.find(({ name }) => name === handle.dialect);
    return handle.taskId === taskId || dialect?.findTaskId?.(handle) === taskId;
  }

  /**
   * Returns the port with `findTask`, through which one dialect follows work as a task of another without knowing that dialect.
   */
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
