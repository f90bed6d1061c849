/**
 * Views of MCP Apps: hosts that show apps, most of which do not support tasks, show the progress of a call, ask its
 * questions and show its result, also after the call was handed over. It answers no calls except those of views.
 */
import { isObject } from '../../is-object.ts';
import type { ServerDialect, ToolListing } from '../server-dialect.ts';
import { VIEW_TYPE } from '../shared/apps-extension.ts';
import { readViewFile } from './view-file.ts';
import { callViewTool, listViewTools } from './view-tools.ts';
import { VIEW_URI } from './wire.ts';

/** The view needs no network access, only its host. */
const POLICY = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
const LISTING = {
  uri: VIEW_URI,
  name: 'task-view',
  title: 'How far a call is',
  description: 'Shows a call that takes long: its progress, its questions and its result',
  mimeType: VIEW_TYPE,
  _meta: { ui: { csp: POLICY, prefersBorder: true } },
};

export const appsServer: ServerDialect = {
  name: 'apps',

  toListing(listing, { caller, tool }) {
    return caller.showsViews && tool && tool.taskMode !== 'never' ? withView(listing) : listing;
  },

  listOwnTools: ({ showsViews }, port) => (showsViews && port.hasTasks() ? listViewTools() : []),

  answerOwn: (call, port) => callViewTool(port, call),

  resources: {
    list: ({ showsViews }, port) => (showsViews && port.hasTasks() ? [LISTING] : []),
    has: (uri) => uri === VIEW_URI,
    async read(_uri, _caller, port) {
      const text = await readViewFile(port);
      return { uri: VIEW_URI, mimeType: VIEW_TYPE, text, _meta: LISTING._meta };
    },
  },
};

/** Adds our view to a tool, unless the tool has its own. */
function withView(listing: ToolListing): ToolListing {
  const meta = isObject(listing._meta) ? listing._meta : {};
  const ui = isObject(meta.ui) ? meta.ui : {};
  if (ui.resourceUri !== undefined || meta[FLAT_KEY] !== undefined) return listing;
  return { ...listing, _meta: { ...meta, ui: { ...ui, resourceUri: VIEW_URI }, [FLAT_KEY]: VIEW_URI } };
}

/** The older key by which tools named their view before the extension was stable; older hosts read only this one. */
const FLAT_KEY = 'ui/resourceUri';
