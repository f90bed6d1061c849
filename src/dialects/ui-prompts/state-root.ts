/**
 * How a host tells an app that it starts where the host keeps its state. Whoever sets a process's environment owns the
 * process, so the app may take it for a root that its owner gave.
 */
export const STATE_ROOT_VARIABLE = 'HOLDFAST_STATE_ROOT';
