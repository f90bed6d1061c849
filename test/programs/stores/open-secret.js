// @ts-check
/** Opens the key in a directory as soon as it is told to, and prints it. */
import { once } from 'node:events';
import { openSecret } from '../../../dist/server/secrets/kept-secret.js';
import { SEAL_KEY } from '../../../dist/server/secrets/seal.js';

const [, , folder] = process.argv;
await once(process.stdin, 'data');
process.stdout.write((await openSecret({ directory: folder }, SEAL_KEY, () => {})).toString('hex'));
