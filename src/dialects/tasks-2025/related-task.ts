/** The key of `_meta` that says which task a message belongs to. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';
