import { TaskError } from '../../errors.ts';
import type { StoreValues } from '../command-line/shared-options.ts';

/** The address of a PostgreSQL store, from the command line or the environment. */
export interface StoreAddress {
  readonly url: string;
  readonly schema?: string;
}

/** The store as text: the option, or else `HOLDFAST_STORE`. */
export function toStoreText({ store, name }: StoreValues): string | undefined {
  return store ?? (name === undefined ? process.env.HOLDFAST_STORE || undefined : undefined);
}

/** The address of a database; undefined if the store is a file. `?schema=` names its schema. */
export function findStoreAddress(values: StoreValues): StoreAddress | undefined {
  const text = toStoreText(values);
  if (text === undefined || !/^postgres(ql)?:\/\//.test(text)) return undefined;
  if (!URL.canParse(text)) {
    throw new TaskError('USAGE', 'the store is no address; expected postgres://user@host:5432/database?schema=NAME');
  }
  const url = new URL(text);
  // Command lines are visible to everybody on the machine.
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

/** The address for people to read, without its password. */
export function toShownAddress({ url, schema }: StoreAddress): string {
  const shown = new URL(url);
  shown.password = '';
  if (schema !== undefined) shown.searchParams.set('schema', schema);
  return shown.href;
}
