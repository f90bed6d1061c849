import { join } from 'node:path';
import { systemClock } from '../../../clock.ts';
import { createAuthorizedFetch } from '../../../gateway/auth/authorized-fetch.ts';
import { SignInFile } from '../../../gateway/auth/sign-in-file.ts';
import { type HttpSpec, patientFetch } from '../../../host/index.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import type { StoreValues } from '../../command-line/shared-options.ts';
import { readCodec } from '../../stores/read-codec.ts';

/** Opens the file that stores the user's sign-in at a server. */
export function openSignIn(url: string, values: Pick<StoreValues, 'key-file'> = {}): SignInFile {
  return new SignInFile({ directory: join(resolveStoreDirectory('calls'), 'auth'), url, codec: readCodec(values) });
}

/** A fetch that adds the user's token, if there is one; messages tell the user to sign in under `name`. */
export function openAuthorizedFetch(url: string, name: string): NonNullable<HttpSpec['fetch']> {
  return createAuthorizedFetch({ name, file: openSignIn(url), clock: systemClock, fetch: patientFetch });
}
