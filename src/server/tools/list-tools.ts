import { isForAppsOnly } from '../../app-only.ts';
import type { ShownTool, ToolListing } from '../../dialects/server-dialect.ts';
import type { Caller } from '../../dialects/server-port.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool } from './server-tool.ts';

/** The tools as this client is shown them, with those that the dialects add. */
export function listTools(parts: ServerParts, caller: Caller): ToolListing[] {
  const shown = [...parts.tools.values()].filter((tool) => isShown(tool, caller));
  const own = shown.map((tool) => toListing(parts, tool.listing, { caller, tool }));
  const added = parts.dialects.flatMap((dialect) => dialect.listOwnTools?.(caller, parts.port) ?? []);
  return [...own, ...added.map((listing) => toListing(parts, listing, { caller }))];
}

function toListing({ dialects, port }: ServerParts, listing: ToolListing, shown: ShownTool): ToolListing {
  return dialects.reduce((given, dialect) => dialect.toListing?.(given, shown, port) ?? given, listing);
}

/**
 * A client that knows nothing of views would show their tools to its model. Tools of somebody else are listed as they list
 * them.
 */
function isShown({ definition }: ParsedServerTool, { showsViews }: Caller): boolean {
  return showsViews === true || definition.listing !== undefined || !isForAppsOnly(definition);
}
