import { expect, it } from 'vitest';
import { toDraft } from '../../../../src/cli/terminal/form/edit-json.ts';

it('[FIRST-403] no name that a server chose is a command for an editor, and the draft means the same', () => {
  const draft = { ' vim: set modeline :': 'ex: x', 'Local Variables:': ['\u001b]0;x\u0007'] };
  const text = toDraft(draft);
  expect(text).not.toMatch(/(vim|ex|Variables):/);
  expect(text).not.toContain('\u001b');
  expect(JSON.parse(text)).toEqual(draft);
});
