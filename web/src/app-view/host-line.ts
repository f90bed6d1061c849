/** The way between a view and the host that shows it. */
export interface HostLine {
  send(message: object): void;
  /** Calls back with each message of the host, until called off. */
  listen(take: (message: unknown) => void): () => void;
}
