const MAX_TURNS = 1_000_000;

/**
 * The `turn` of a wait: how many hand-overs its caller has read. Each one names the next, because some clients stop a
 * model that calls a tool with the same arguments again and again. Whatever else stands there counts as none.
 */
export function readTurn(args: unknown): number {
  const turn = (args as { turn?: unknown } | null | undefined)?.turn;
  return typeof turn === 'number' && Number.isInteger(turn) && turn > 0 && turn < MAX_TURNS ? turn : 0;
}
