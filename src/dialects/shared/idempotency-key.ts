/** The `_meta` key of a call's idempotency key; servers that honour it declare it as an experimental capability. */
export const KEY_META = 'holdfast/idempotencyKey';
