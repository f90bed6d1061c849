import { describe, expect, it } from 'vitest';
import { toPlainJson, toPlainPage, toPlainText } from '../../src/text/plain-text.ts';

/** Sets the clipboard, clears the screen, writes from right to left, begins an escape with one byte. */
const HOSTILE = '\u001b]52;c;cm0gLXJm\u0007\u001b[2J\u202e\u009b31m\u2028end\u007f';

describe('words that others chose', () => {
  it('show their control characters, bidi controls and separators instead of being obeyed', () => {
    expect(toPlainText(`a\nb${HOSTILE}✓`)).toBe(
      'a\\nb\\u001b]52;c;cm0gLXJm\\u0007\\u001b[2J\\u202e\\u009b31m\\u2028end\\u007f✓',
    );
  });

  it('keep their lines and tabs where there may be several lines', () => {
    expect(toPlainPage('one\r\n\ttwo\nthree\rfour')).toBe('one\n\ttwo\nthree\\u000dfour');
    expect(toPlainPage(HOSTILE)).toBe(toPlainText(HOSTILE));
  });

  it('are the same value when they are printed as JSON', () => {
    for (const value of [HOSTILE, { [HOSTILE]: [HOSTILE, 1, null] }]) {
      const text = toPlainJson(value);
      expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u);
      expect(JSON.parse(text)).toEqual(value);
    }
    expect(toPlainJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
  });
});
