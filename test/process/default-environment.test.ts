import { getDefaultEnvironment as getDefaultOfSdk } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { getDefaultEnvironment } from '../../src/process/default-environment.ts';

it("[GATE-165] a program finds the variables that it would get from the SDK, and no shell's functions", () => {
  expect(getDefaultEnvironment()).toEqual(getDefaultOfSdk());
  expect(getDefaultEnvironment({ HOME: '/home/me', TERM: '() { :; }', SECRET: 'x' })).toEqual({ HOME: '/home/me' });
});
