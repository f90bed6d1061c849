/** Keys that all processes on a store need to have in common, such as the one that signs sessions. */

/** Keeps keys with the store, for stores that other machines are on: these share no directory. */
export interface StoreSecrets {
  /** The secret of this name. Whoever asks first makes it; all get the same. */
  open(name: string, make: () => Uint8Array): Promise<Uint8Array>;
}
