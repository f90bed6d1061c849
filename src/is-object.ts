/** Whether a value is an object with members: neither an array nor null. */
export function isObject<Member = unknown>(value: unknown): value is Readonly<Record<string, Member>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
