/** MCP Apps: views that a server gives to its clients, and how a client says that it shows them. */
import { isObject } from '../../is-object.ts';

// https://github.com/modelcontextprotocol/ext-apps (SEP-1865, 2026-01-26)
export const UI_EXTENSION = 'io.modelcontextprotocol/ui';

/** What a view is. */
export const VIEW_TYPE = 'text/html;profile=mcp-app';

/** The extensions of a client that shows views, without whatever else it says of them. */
export const VIEWS_DECLARED = { [UI_EXTENSION]: { mimeTypes: [VIEW_TYPE] } };

/** Whether a client that declares these extensions shows views. */
export function canShowViews(extensions: unknown): boolean {
  const ui = isObject(extensions) ? extensions[UI_EXTENSION] : undefined;
  return isObject(ui) && Array.isArray(ui.mimeTypes) && ui.mimeTypes.includes(VIEW_TYPE);
}
