import { join } from 'node:path';
import { systemClock } from '../../../clock.ts';
import { createAuthorizedFetch } from '../../../gateway/auth/authorized-fetch.ts';
import { SignInFile } from '../../../gateway/auth/sign-in-file.ts';
import { type HttpSpec, patientFetch } from '../../../host/index.ts';
import { resolveStoreDirectory } from '../../../store/sqlite/directory.ts';
import type { StoreValues } from '../../command-line/shared-options.ts';
import { readCodec } from '../../stores/read-codec.ts';

/** Where the user's sign-in at a server is kept. */
export function openSignIn(url: string, values: Pick<StoreValues, 'key-file'> = {}): SignInFile {
  return new SignInFile({ directory: join(resolveStoreDirectory('calls'), 'auth'), url, codec: readCodec(values) });
}

/** Requests with the user's token, if there is one; `name` is what the user is told to sign in by. */
export function openAuthorizedFetch(url: string, name: string): NonNullable<HttpSpec['fetch']> {
  return createAuthorizedFetch({ name, file: openSignIn(url), clock: systemClock, fetch: patientFetch });
}
