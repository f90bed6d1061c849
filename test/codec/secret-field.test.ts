import { expect, it } from 'vitest';
import { isSecretField } from '../../src/codec/secret-field.ts';

it.each([
  ['x', { format: 'password' }],
  ['x', { writeOnly: true }],
  ['password', {}],
  ['db_passphrase', {}],
  ['x', { title: 'Your API key' }],
  ['accessToken', {}],
  ['x', { title: 'PIN' }],
] as const)('takes a field for a secret by its marks and its name: %s %j', (name, field) => {
  expect(isSecretField(name, field)).toBe(true);
});

it.each([
  ['name', { title: 'Your name' }],
  ['pinned', { format: 'email' }],
  ['x', { title: 7, writeOnly: 'yes' }],
  [`${'x'.repeat(300)}password`, {}],
] as const)('takes no other field for one: %s %j', (name, field) => {
  expect(isSecretField(name, field)).toBe(false);
});
