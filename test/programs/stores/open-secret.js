// @ts-check
/** Opens the key in a directory as soon as it is told to, and prints it. */
import { once } from 'node:events';
import { SEAL_KEY } from '../../../dist/server/secrets/seal.js';
import { openSecret } from '../../../dist/server/secrets/shared-secret.js';

const [, , folder] = process.argv;
await once(process.stdin, 'data');
process.stdout.write((await openSecret({ directory: folder }, SEAL_KEY, () => {})).toString('hex'));
