import { TaskError } from '../../errors.ts';
import type { StoreValues } from '../command-line/shared-options.ts';

/** A store in a database, as a command line or the environment names it. */
export interface StoreAddress {
  readonly url: string;
  readonly schema?: string;
}

/** What is meant: the option, or else `HOLDFAST_STORE`. */
export function toStoreText({ store, name }: StoreValues): string | undefined {
  return store ?? (name === undefined ? process.env.HOLDFAST_STORE || undefined : undefined);
}

/** The address of a database; nothing when a file is meant. `?schema=` names its schema. */
export function findStoreAddress(values: StoreValues): StoreAddress | undefined {
  const text = toStoreText(values);
  if (text === undefined || !/^postgres(ql)?:\/\//.test(text)) return undefined;
  if (!URL.canParse(text)) {
    throw new TaskError('USAGE', 'the store is no address; expected postgres://user@host:5432/database?schema=NAME');
  }
  const url = new URL(text);
  // Everybody on the machine can read the command lines of others.
  if (values.store !== undefined && url.password !== '') {
    const places = 'put the address into HOLDFAST_STORE, or only the password into PGPASSWORD or ~/.pgpass';
    throw new TaskError(
      'USAGE',
      `--store holds a password, which everybody could read in the list of processes; ${places}`,
    );
  }
  const schema = url.searchParams.get('schema') ?? undefined;
  url.searchParams.delete('schema');
  return schema === undefined ? { url: url.href } : { url: url.href, schema };
}

/** The same for people to read. */
export function toShownAddress({ url, schema }: StoreAddress): string {
  const shown = new URL(url);
  shown.password = '';
  if (schema !== undefined) shown.searchParams.set('schema', schema);
  return shown.href;
}
