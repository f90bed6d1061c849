/** The operator, who runs the store: may see and do everything. Never given to a peer. */
export const OPERATOR: unique symbol = Symbol('operator');

/** The owner of a task, or the operator. */
export type Principal = string | typeof OPERATOR;

/** The principal of every caller on this machine unless another one is named. */
export const LOCAL = 'local';
