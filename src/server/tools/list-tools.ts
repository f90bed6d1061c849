import type { Caller } from '../calls/caller.ts';
import { hidesOutputSchema, hidesOutputSchemas } from '../calls/choose-dialect.ts';
import { findShownProfile } from '../clients/profiles.ts';
import type { ServerParts } from '../server-parts.ts';
import { toShownPrefix } from './companion-names.ts';
import { listCompanions } from './companion-tools.ts';
import { hasTasks } from './has-tasks.ts';
import type { ParsedServerTool } from './server-tool.ts';

const SUPPORT = { auto: 'optional', always: 'required', never: 'forbidden' } as const;

/** The tools as this client is shown them. */
export function listTools(parts: ServerParts, caller: Caller): object[] {
  const tools = [...parts.tools.values()].map((tool) => toListing(parts, caller, tool));
  if (!needsCompanions(parts, caller)) return tools;
  const companions = listCompanions(toShownPrefix(parts, caller));
  return [...tools, ...companions.map((one) => withSupport(one, caller))];
}

function toListing(parts: ServerParts, caller: Caller, tool: ParsedServerTool): object {
  const { listing, taskMode } = tool;
  if (taskMode === 'never') return withSupport(listing, caller);
  const { outputSchema, ...bare } = listing;
  const shown = hidesOutputSchemas(parts, caller) || hidesOutputSchema(tool, caller) ? bare : listing;
  return { ...withSupport(shown, caller, SUPPORT[taskMode]), async: true };
}

function withSupport(listing: object, { era }: Caller, taskSupport: string = SUPPORT.never): object {
  return era === 'legacy' ? { ...listing, execution: { taskSupport } } : listing;
}

/** Those who may be handed over something they can only ask for by a tool. */
function needsCompanions(parts: ServerParts, caller: Caller): boolean {
  if (!hasTasks(parts.tools) || caller.declaresTasks) return false;
  return findShownProfile(parts.profiles(), { caller }).tasks2025 !== true;
}
