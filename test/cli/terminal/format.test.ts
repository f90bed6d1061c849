import { styleText } from 'node:util';
import { expect, it } from 'vitest';
import { paintStatus, toProgressText, toTable, toValueText } from '../../../src/cli/terminal/format.ts';
import type { Terminal } from '../../../src/cli/terminal/terminal.ts';
import { openFakeTerminal } from './fake-terminal.ts';

const terminal = (isTty: boolean): Terminal => ({
  json: false,
  isTty,
  columns: 10,
  keyboard: openFakeTerminal().keyboard,
  print: () => {},
  printText: () => {},
  printJson: () => {},
  remark: () => {},
  paint: (style, text) => (isTty ? styleText(style, text, { validateStream: false }) : text),
});

it('lines columns up by their widest cell and leaves no space at the end', () => {
  expect(
    toTable(
      ['A', 'LONG', 'C'],
      [
        ['wide', 'b', ''],
        ['x', 'y', 'z'],
      ],
    ),
  ).toEqual(['A     LONG  C', 'wide  b', 'x     y     z']);
});

it('lines up more rows than a call may have arguments', () => {
  const lines = toTable(
    ['A', 'B'],
    Array.from({ length: 200_000 }, () => ['wide', 'b']),
  );
  expect([lines.length, lines[0]]).toEqual([200_001, 'A     B']);
});

it('paints cells after lining them up', () => {
  const paint = (cell: string, column: number) => (column === 0 ? `<${cell}>` : cell);
  expect(toTable(['A', 'B'], [['1', '2']], paint)).toEqual(['A  B', '<1>  2']);
});

it('paints a status only on a terminal', () => {
  expect(paintStatus('failed', terminal(false))).toBe('failed');
  expect(paintStatus('failed', terminal(true))).toContain('\u001b[31mfailed');
});

it('shows a share as per cent and any other number as it is', () => {
  const show = (value: number) => toProgressText({ value, at: 0 });
  expect([0, 0.999, 1, 17, -1].map(show)).toEqual(['0%', '99%', '100%', '17', '-1']);
  expect(toProgressText(undefined)).toBe('');
});

it('cuts long values on a terminal and nowhere else', () => {
  const value = 'x'.repeat(50);
  expect(toValueText(value, terminal(false))).toBe(JSON.stringify(value));
  expect(toValueText(value, terminal(true))).toBe(`"${'x'.repeat(39)}… (12 more characters; --json shows all)`);
  expect(toValueText('short', terminal(true))).toBe('"short"');
});
