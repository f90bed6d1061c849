import { TaskError } from '../../../errors.ts';
import { signIn } from '../../../gateway/auth/sign-in.ts';
import { patientFetch } from '../../../host/index.ts';
import { findEntry } from '../../servers/config-files.ts';
import type { AuthContext } from './gateway-commands.ts';
import { readGatewayConfig } from './gateway-config.ts';
import { openSignIn } from './sign-in-place.ts';

/** Signs in at a server, and stores what the gateway needs to work without a person. */
export async function signInAt({ args: [server = ''], values, terminal }: AuthContext): Promise<number> {
  const file = openSignIn(findUrl(server, values.config), values);
  if (values.forget) {
    await file.forget();
    terminal.remark(`the sign-in at ${file.url} is forgotten`);
    return 0;
  }
  const open = (url: URL) => {
    terminal.remark('Open this page in a browser of this machine, and come back:');
    terminal.print(url.href);
  };
  await signIn({ file, fetch: patientFetch, open });
  terminal.remark(`signed in at ${file.url}`);
  return 0;
}

function findUrl(server: string, config: string | undefined): string {
  if (/^https?:\/\//.test(server) && URL.canParse(server)) return server;
  const entry = config === undefined ? findEntry(server).entry : readGatewayConfig(config).upstreams?.[server];
  const { url } = (entry ?? {}) as { url?: unknown };
  if (typeof url === 'string' && URL.canParse(url)) return url;
  throw new TaskError(
    'SERVER_NOT_FOUND',
    `${JSON.stringify(server)} has no URL to sign in at; expected a URL, or a server that has one`,
  );
}
