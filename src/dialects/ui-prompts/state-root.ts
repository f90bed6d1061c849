/**
 * The environment variable by which a host passes its state directory to an app that it starts. Whoever sets a
 * process's environment owns the process, so the app may treat the directory as a root that its owner configured.
 */
export const STATE_ROOT_VARIABLE = 'HOLDFAST_STATE_ROOT';
