import { TaskError } from '../../../errors.ts';
import { readHeaderVariables } from '../../../gateway/clients/header-variable.ts';
import { createGateway, type GatewayOptions, type Upstream } from '../../../gateway/index.ts';
import { readVersion } from '../../version.ts';
import { serveApp, toListening } from '../serve/serve-app.ts';
import type { GatewayContext } from './gateway-commands.ts';
import { toCommand } from './upstream-command.ts';

/** Serves the gateway to the upstream servers. */
export async function serveGateway({ values, rest, terminal }: GatewayContext): Promise<number> {
  const listening = toListening(values);
  const { name, ui } = values;
  await using gateway = createGateway({
    version: readVersion(),
    ...(await findUpstreams(values, rest)),
    ...(name !== undefined && { name }),
    ...(ui && { ui }),
  });
  return await serveApp(gateway, listening, terminal);
}

/** The upstream servers from the command line: exactly one of command, URL and config must be given. */
async function findUpstreams(
  values: GatewayContext['values'],
  command: readonly string[],
): Promise<Pick<GatewayOptions, 'upstream' | 'upstreams' | 'name' | 'ui'>> {
  const { url, config } = values;
  const ways = [url, config, command[0]].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    const expected = 'exactly one of -- COMMAND…, --url URL, --config FILE';
    throw new TaskError('USAGE', `which server is the gateway for? expected: ${expected}`);
  }
  // Loaded only when needed: a client is waiting for the gateway to start.
  if (config !== undefined) return (await import('./gateway-config.ts')).readGatewayConfig(config);
  if (url !== undefined) return { upstream: await toHttp(checkUrl(url), values['bearer-env'], values.name) };
  return { upstream: toCommand(command) };
}

/** Headers come from the environment: a command line is visible to every user of the machine. */
async function toHttp(url: string, bearer: string | undefined, name: string | undefined): Promise<Upstream> {
  const headers = { ...readHeaderVariables(process.env), ...readBearer(bearer) };
  if ('authorization' in headers) return { url, headers };
  const { openAuthorizedFetch } = await import('./sign-in-place.ts');
  return { url, headers, fetch: openAuthorizedFetch(url, name ?? url) };
}

function readBearer(variable: string | undefined): { readonly authorization?: string } {
  if (variable === undefined) return {};
  const token = process.env[variable];
  if (token) return { authorization: `Bearer ${token}` };
  throw new TaskError(
    'USAGE',
    `--bearer-env names ${variable}, which is not set; expected a variable that holds a token`,
  );
}

function checkUrl(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new TaskError('USAGE', `--url is ${JSON.stringify(url)}; expected an http or https URL`);
}
