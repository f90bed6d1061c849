// @ts-check
/** The module of a heartbeat thread on a machine too busy to load it. */
await new Promise(() => {});

export {};
