/** For engines beside other processes on a busy machine: nobody takes them for dead while they wait for a core. */
export const PATIENT = { leaseMs: 60_000, maxBlockMs: 60_000 };
