import { expect, it } from 'vitest';
import { parseQuestionUrl } from '../../../src/cli/terminal/question-url.ts';

it('shows a page as a browser would read it', () => {
  expect(parseQuestionUrl('HTTPS://EXAMPLE.org:8443/a b').href).toBe('https://example.org:8443/a%20b');
  expect(parseQuestionUrl('https://exаmple.org/').host).toMatch(/^xn--/);
});

it.each([
  ['javascript:alert(1)', 'an https or http URL'],
  ['file:///etc/passwd', 'an https or http URL'],
  ['https://bank.example@evil.example/', 'without user information'],
  ['https://:x@evil.example/', 'without user information'],
  ['no url', 'a whole URL'],
  [7, 'a whole URL'],
])('refuses %j', (url, expected) => {
  expect(() => parseQuestionUrl(url)).toThrow(expected);
});
