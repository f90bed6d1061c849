/** A tool result that is a text. */
export type TextResult = { readonly content: readonly { readonly type: 'text'; readonly text: string }[] };

export function toTextResult(text: string): TextResult {
  return { content: [{ type: 'text', text }] };
}

/** A result that says what went wrong, for the model to read. */
export function toErrorResult(text: string): TextResult & { readonly isError: true } {
  return { ...toTextResult(text), isError: true };
}
