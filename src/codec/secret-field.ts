/** What is known of one field of a form. */
export interface FormField {
  readonly title?: unknown;
  readonly format?: unknown;
  readonly writeOnly?: unknown;
  readonly secret?: unknown;
}

/** Names cut to this length are searched: a name is a peer's to choose. */
const MAX_NAME = 200;

/**
 * Forms of MCP have no mark for a secret, and clients drop the marks of JSON Schema on the way. So a name counts too.
 * A field that is taken for a secret wrongly costs nothing but its echo.
 */
const SECRET_NAME =
  /pass[\s_-]?(word|phrase|code)|secret|token|credential|api[\s_-]?key|private[\s_-]?key|\b(pin|otp)\b/i;

/** Whether what is typed into a field is a secret: it is not shown, and not kept in clear. */
export function isSecretField(name: string, { title, format, writeOnly, secret }: FormField): boolean {
  if (format === 'password' || writeOnly === true || (secret !== undefined && secret !== false)) return true;
  return [name, title].some((text) => typeof text === 'string' && SECRET_NAME.test(text.slice(0, MAX_NAME)));
}
