import { isObject } from './is-object.ts';

/** Whether only views call the tool: it is hidden from the model. https://github.com/modelcontextprotocol/ext-apps */
export function isForAppsOnly(tool: object): boolean {
  const { _meta } = tool as { readonly _meta?: unknown };
  const ui = isObject(_meta) ? _meta.ui : undefined;
  const visibility = isObject(ui) ? ui.visibility : undefined;
  return Array.isArray(visibility) && visibility.length > 0 && !visibility.includes('model');
}
