import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkArtifactName, findCharacterBounds, parseArtifactUri, toArtifactUri } from '../../src/task/artifact.ts';

describe('the address of an artifact', () => {
  it('[GATE-403] names the task, the artifact and the range', () => {
    expect(toArtifactUri('a/b', 'result')).toBe('holdfast://task/a%2Fb/result');
    expect(parseArtifactUri('holdfast://task/a%2Fb/result?offset=5&limit=10')).toEqual({
      taskId: 'a/b',
      name: 'result',
      offset: 5,
      limit: 10,
    });
    expect(parseArtifactUri('holdfast://task/t/x.pdf')).toEqual({ taskId: 't', name: 'x.pdf' });
  });

  it.each([
    ['holdfast://task/t', 'expected holdfast://task/ID/NAME'],
    ['holdfast://task/t/../x', 'expected holdfast://task/ID/NAME'],
    ['holdfast://task/t/result?offset=-1', 'offset is "-1"; expected a whole number from 0 up'],
    ['holdfast://task/t/result?limit=0', 'limit is "0"; expected a whole number from 1 up'],
  ])('[GATE-403] that is wrong is told as that: %s', (uri, told) => {
    expect(() => parseArtifactUri(uri)).toThrow(told);
  });

  it.each(['', 'a b', 'a/b', '../x', 5])('[GATE-407] a name is a plain one: %j', (name) => {
    expect(() => checkArtifactName(name)).toThrow('expected a text of 1 to 100 letters');
  });
});

it('[GATE-403] of any range of a text the letters are found that lie in it whole', () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
      const bytes = Buffer.from(text);
      const from = Math.min(one, other) % (bytes.length + 1);
      const to = Math.max(from, Math.min(bytes.length, other));
      const part = bytes.subarray(from, to);
      const { start, end } = findCharacterBounds(part);
      const letters = part.subarray(start, Math.max(start, end));
      expect(Buffer.from(letters.toString('utf8')).equals(letters)).toBe(true);
      // No more than the rest of a letter is lost on either side.
      expect(start).toBeLessThanOrEqual(3);
      expect(part.length - Math.max(start, end)).toBeLessThanOrEqual(3);
    }),
  );
});
