import { findCompanion } from '../../dialects/options.ts';
import { TaskError } from '../../errors.ts';
import type { ServerNotifications } from '../server-notifications.ts';
import type { ServerSettings } from '../server-options.ts';
import { type ParsedServerTool, parseServerTool, type ServerTool } from './server-tool.ts';

/** The tools of a running engine. */
export interface LiveTools {
  set(tool: ParsedServerTool): void;
  remove(name: string): void;
}

/** The tools of a server, which may be added and removed while serving: the engine and the clients are notified. */
export class ToolRegistry {
  readonly tools = new Map<string, ParsedServerTool>();
  /** Set once the engine exists. */
  live: LiveTools | undefined;
  readonly #settings: ServerSettings;
  readonly #notifications: ServerNotifications;

  constructor(settings: ServerSettings, notifications: ServerNotifications) {
    this.#settings = settings;
    this.#notifications = notifications;
  }

  add(name: string, tool: ServerTool): void {
    if (this.tools.has(name))
      throw new TaskError('INVALID_ARGUMENT', `there is a tool ${JSON.stringify(name)} already`);
    if (findCompanion(name, this.#settings.companionPrefix))
      throw new TaskError('INVALID_ARGUMENT', `the name ${name} belongs to a tool of the server's`);
    const parsed = parseServerTool(name, tool, this.#settings);
    this.tools.set(name, parsed);
    this.live?.set(parsed);
    this.#notifications.toolsChanged();
  }

  remove(name: string): void {
    if (!this.tools.delete(name)) return;
    this.live?.remove(name);
    this.#notifications.toolsChanged();
  }
}
