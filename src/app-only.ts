import { isObject } from './is-object.ts';

/** https://github.com/modelcontextprotocol/ext-apps: a tool that no model sees is called by a view only. */
export function isForAppsOnly(tool: object): boolean {
  const { _meta } = tool as { readonly _meta?: unknown };
  const ui = isObject(_meta) ? _meta.ui : undefined;
  const visibility = isObject(ui) ? ui.visibility : undefined;
  return Array.isArray(visibility) && visibility.length > 0 && !visibility.includes('model');
}
