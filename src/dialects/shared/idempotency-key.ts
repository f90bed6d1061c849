/** Where a call says by which key it is known; servers that heed it declare it as an experimental capability. */
export const KEY_META = 'holdfast/idempotencyKey';
