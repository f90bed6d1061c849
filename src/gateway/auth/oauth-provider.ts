import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../clock.ts';
import type { SignIn, SignInFile } from './sign-in-file.ts';

export interface ProviderOptions {
  readonly file: SignInFile;
  readonly clock: Clock;
  /** The URL that the server redirects the person to after signing in. */
  readonly redirectUrl: string;
  /**
   * An HTTPS URL of our client metadata, for servers that read it instead of registering us (OAuth client ID metadata document).
   */
  readonly clientMetadataUrl?: string | undefined;
  /** The OAuth `state` that identifies this sign-in when the person returns. */
  readonly state?: string;
  /** Sends a person to the authorization page; throws where no person is available. */
  onRedirect(url: URL): void | Promise<void>;
}

/** The SDK's OAuth client provider; keeps its data in one file. */
export class OAuthProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  readonly #options: ProviderOptions;
  #verifier = '';

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.redirectUrl = options.redirectUrl;
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl;
    this.clientMetadata = {
      client_name: 'Holdfast',
      redirect_uris: [options.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#options.state ?? '';
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    return (await this.#read()).client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#options.file.change({ client, redirectUrl: this.redirectUrl });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.#read()).tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    const { tokens: before } = await this.#read();
    // A server that sends no new refresh token keeps accepting the old one.
    const refresh = tokens.refresh_token ?? before?.refresh_token;
    const { expires_in: seconds } = tokens;
    const expiresAt = seconds === undefined ? undefined : this.#options.clock.now() + seconds * 1000;
    await this.#options.file.change({
      tokens: { ...tokens, ...(refresh !== undefined && { refresh_token: refresh }) },
      expiresAt,
    });
  }

  redirectToAuthorization(url: URL): void | Promise<void> {
    return this.#options.onRedirect(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.#options.file.change({ discovery });
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return (await this.#read()).discovery;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const isAll = scope === 'all';
    if (isAll || scope === 'verifier') this.#verifier = '';
    await this.#options.file.change({
      ...((isAll || scope === 'client') && { client: undefined }),
      ...((isAll || scope === 'tokens') && { tokens: undefined, expiresAt: undefined }),
      ...((isAll || scope === 'discovery') && { discovery: undefined }),
    });
  }

  #read(): Promise<SignIn> {
    return this.#options.file.read();
  }
}
