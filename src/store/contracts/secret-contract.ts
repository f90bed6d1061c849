/** Keys that all processes on a store must share, such as the one that signs sessions. */

/** Stores keys in the store itself, for stores that several machines use: they share no directory. */
export interface StoreSecrets {
  /** Returns the secret of this name. The first caller creates it with `make`; all later callers get the same one. */
  open(name: string, make: () => Uint8Array): Promise<Uint8Array>;
}
