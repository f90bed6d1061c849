import { isForAppsOnly } from '../../app-only.ts';
import type { ShownTool, ToolListing } from '../../dialects/server-dialect.ts';
import type { Caller } from '../../dialects/server-port.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool } from './server-tool.ts';

/** Returns the tools as this client sees them, including those that dialects add. */
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
 * Hides tools for views from clients without views, which would show them to the model. Foreign tools (`listing`) are
 * listed as their own server lists them.
 */
function isShown({ definition }: ParsedServerTool, { showsViews }: Caller): boolean {
  return showsViews === true || definition.listing !== undefined || !isForAppsOnly(definition);
}
