/** The properties of a form field that show whether it is a secret. */
export interface FormField {
  readonly title?: unknown;
  readonly format?: unknown;
  readonly writeOnly?: unknown;
  readonly secret?: unknown;
}

/** Only this many characters of a name are searched: a peer chooses the name. */
const MAX_NAME = 200;

/**
 * MCP forms have no mark for secrets, and clients drop those of JSON Schema. So the name counts too. Treating a field as a secret
 * by mistake costs nothing but its echo.
 */
const SECRET_NAME =
  /pass[\s_-]?(word|phrase|code)|secret|token|credential|api[\s_-]?key|private[\s_-]?key|\b(pin|otp)\b/i;

/** Whether the input of a field is a secret: it is not shown, and not stored in clear. */
export function isSecretField(name: string, { title, format, writeOnly, secret }: FormField): boolean {
  if (format === 'password' || writeOnly === true || (secret !== undefined && secret !== false)) return true;
  return [name, title].some((text) => typeof text === 'string' && SECRET_NAME.test(text.slice(0, MAX_NAME)));
}
