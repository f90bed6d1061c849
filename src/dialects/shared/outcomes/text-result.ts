/** A tool result that consists of a text. */
export type TextResult = { readonly content: readonly { readonly type: 'text'; readonly text: string }[] };

export function toTextResult(text: string): TextResult {
  return { content: [{ type: 'text', text }] };
}

/** Returns an error result whose text is for the model to read. */
export function toErrorResult(text: string): TextResult & { readonly isError: true } {
  return { ...toTextResult(text), isError: true };
}
