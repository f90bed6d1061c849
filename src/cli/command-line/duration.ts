import { TaskError } from '../../errors.ts';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads `90s`, `15m`, `1.5h` or `7d`. */
export function parseDuration(text: string, option: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  throw new TaskError('USAGE', `${option} is ${JSON.stringify(text)}; expected a number and a unit: 90s, 15m, 1h, 7d`);
}

/** The two largest units: `850ms`, `42s`, `3m 5s`, `2h 10m`, `4d 3h`. */
export function toDurationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole}ms`;
  const seconds = Math.floor(whole / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}
