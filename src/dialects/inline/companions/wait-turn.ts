const MAX_TURNS = 1_000_000;

/**
 * Reads the `turn` of a wait: how many hand-overs its caller has read. Each hand-over names the next turn, because some
 * clients stop a model that repeats a call with the same arguments. Any invalid value counts as 0.
 */
export function readTurn(args: unknown): number {
  const turn = (args as { turn?: unknown } | null | undefined)?.turn;
  return typeof turn === 'number' && Number.isInteger(turn) && turn > 0 && turn < MAX_TURNS ? turn : 0;
}
