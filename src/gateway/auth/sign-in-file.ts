/**
 * The stored sign-in at one server: our client registration, the tokens, and the discovery data.
 *
 * One file per server, readable by the user only, and encoded when a codec is given. Several processes share the file, so a
 * process that changes it must hold its lock.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { PayloadCodec } from '../../codec/codec.ts';
import { TaskError } from '../../errors.ts';
import { withFileLock } from '../../process/file-lock.ts';

export interface SignIn {
  readonly url: string;
  readonly client?: StoredOAuthClientInformation;
  /** The redirect URL that was registered; the registration is valid for this URL only. */
  readonly redirectUrl?: string;
  readonly tokens?: StoredOAuthTokens;
  /** When the tokens expire, in epoch ms, if the server said so. */
  readonly expiresAt?: number;
  readonly discovery?: OAuthDiscoveryState;
}

export interface SignInFileOptions {
  readonly directory: string;
  /** URL of the server. */
  readonly url: string;
  readonly codec?: PayloadCodec | undefined;
}

export class SignInFile {
  readonly url: string;
  readonly #path: string;
  readonly #directory: string;
  readonly #codec: PayloadCodec | undefined;

  constructor({ directory, url, codec }: SignInFileOptions) {
    this.url = new URL(url).href;
    this.#directory = directory;
    this.#codec = codec;
    this.#path = join(directory, `${createHash('sha256').update(this.url).digest('hex').slice(0, 32)}.json`);
  }

  /** Reads the stored sign-in; contains only the URL when the user has not signed in. */
  async read(): Promise<SignIn> {
    try {
      const text = await readFile(this.#path, 'utf8');
      const known = JSON.parse((await this.#codec?.decode(text, this.url)) ?? text) as SignIn;
      return known.url === this.url ? known : { url: this.url };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { url: this.url };
      throw damagedError(this.#path, error);
    }
  }

  /** Merges fields into the stored sign-in; `undefined` removes a field. */
  async change(more: { readonly [Field in keyof SignIn]?: SignIn[Field] | undefined }): Promise<void> {
    const next = JSON.stringify({ ...(await this.read()), ...more });
    await this.#replace((await this.#codec?.encode(next, this.url)) ?? next);
  }

  /** Runs `work` while holding the file's lock, so that no other process changes the file meanwhile. */
  async whileAlone<T>(work: () => Promise<T>): Promise<T> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    return withFileLock(this.#path, work, { timeoutMs: 60_000 });
  }

  async forget(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async #replace(text: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${randomUUID().slice(0, 8)}`;
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      // The old refresh token has been used up, so losing the new one would force a new sign-in.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.#path);
  }
}

function damagedError(path: string, cause: unknown): TaskError {
  const remedy = 'give the key it was encoded with, or remove it and sign in again with `holdfast auth`';
  return new TaskError('STORE_KEY_WRONG', `${path} cannot be read; ${remedy}`, { cause });
}
