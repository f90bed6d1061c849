/** What test/apps/monitor/glob.test.ts tries, with many more globs than there is time for in a loop of seconds. */
import { it } from 'vitest';
import { tryAsPatterns, tryEveryLength, tryMadeToFit } from '../../apps/monitor/glob-properties.ts';

it('[SEC-381] a glob matches what the same pattern matches as a regular expression', () => tryAsPatterns(100_000));

it('[SEC-381] a glob does so at every length, with one star', () => tryEveryLength(10_000));

it('[SEC-381] a glob matches what was made to fit it', () => tryMadeToFit(25_000));
