/** The one who runs the store: sees and may do everything. Never given to a peer. */
export const OPERATOR: unique symbol = Symbol('operator');

/** Who owns a task, or the operator. */
export type Principal = string | typeof OPERATOR;

/** The principal of everybody on this machine when nobody else is named. */
export const LOCAL = 'local';
