/** The message channel between a view and the host that shows it. */
export interface HostChannel {
  send(message: object): void;
  /** Calls `take` with each message from the host. Returns a function that stops that. */
  listen(take: (message: unknown) => void): () => void;
}
