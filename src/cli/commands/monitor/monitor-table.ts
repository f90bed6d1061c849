/** Formats the monitor's answers as tables. */
import { toPlainText } from '../../../text/plain-text.ts';
import { toTable } from '../../terminal/format.ts';

type Row = readonly [name: string, value: string];

/** One line per value: `last_sync: { outcome }` becomes `last sync outcome`; each entry of a list gets its own line. */
export function toMonitorTable(data: object): string[] {
  return toTable(
    ['FIELD', 'VALUE'],
    toRows('', data).map((row) => row.map(toPlainText)),
  );
}

function toRows(name: string, value: unknown): Row[] {
  if (Array.isArray(value)) return value.length === 0 ? [[name, 'none']] : toListRows(name, value);
  if (typeof value !== 'object' || value === null) return [[name, value === null ? 'none' : String(value)]];
  if (isDecision(value)) return [[name, `${value.symbol} ${value.message}`]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[name, 'none']];
  return entries.flatMap(([key, inner]) => toRows(`${name} ${toWords(key)}`.trim(), inner));
}

function toListRows(name: string, list: readonly unknown[]): Row[] {
  const [first = '', ...rest] = list.flatMap((one) => toRows('', one)).map(([, value]) => value);
  return [[name, first], ...rest.map((value): Row => ['', value])];
}

// Keys that are paths are kept as they are.
const toWords = (key: string) => (/^[a-z_]+$/.test(key) ? key.replaceAll('_', ' ') : key);

function isDecision(value: object): value is { readonly symbol: string; readonly message: string } {
  return 'symbol' in value && 'message' in value;
}
