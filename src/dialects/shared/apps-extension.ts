/** MCP Apps: views that a server offers to its clients, and how a client declares that it shows them. */
import { isObject } from '../../is-object.ts';

// https://github.com/modelcontextprotocol/ext-apps (SEP-1865, 2026-01-26)
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';

/** The MIME type of a view. */
export const VIEW_TYPE = 'text/html;profile=mcp-app';

/** What a client that shows views declares, reduced to what is needed here. */
export const VIEWS_DECLARED = { [UI_EXTENSION]: { mimeTypes: [VIEW_TYPE] } };

/** Whether a client that declares these extensions shows views. */
export function canShowViews(extensions: unknown): boolean {
  const ui = isObject(extensions) ? extensions[UI_EXTENSION] : undefined;
  return isObject(ui) && Array.isArray(ui.mimeTypes) && ui.mimeTypes.includes(VIEW_TYPE);
}
