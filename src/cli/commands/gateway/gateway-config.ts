/** Reads the config of a gateway to several servers, from a file that the user named. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { GatewayOptions, Upstream } from '../../../gateway/index.ts';
import { isObject } from '../../../is-object.ts';
import { flag, onlyFields, text, value, whole } from '../../../options/option-schemas.ts';
import { optionsParser } from '../../../options/options-parser.ts';
import { readJson } from '../../servers/config-files.ts';
import { expand } from '../../servers/expand.ts';
import { openAuthorizedFetch } from './sign-in-place.ts';

/** The fields of one server, apart from its policies. */
const SERVER_FIELDS = [
  'type',
  'command',
  'args',
  'env',
  'passEnv',
  'cwd',
  'url',
  'headers',
  'callMeta',
  'stream',
  'repeat',
];

const parseFile = optionsParser(() =>
  onlyFields({
    mcpServers: z.record(z.string(), value<Record<string, unknown>>('an object', isObject), '{ NAME: { … } }'),
    name: text().optional(),
    inlineMs: whole(0).optional(),
    unattendedMs: whole(0).optional(),
    joinMs: whole(0).optional(),
    ui: flag().optional(),
  }),
);

const parseServer = optionsParser(() => {
  const fields = [...SERVER_FIELDS, 'policy', 'tools', 'connections'].map(
    (field) => [field, z.unknown().optional()] as const,
  );
  return onlyFields(Object.fromEntries(fields));
});

type Config = Pick<GatewayOptions, 'upstreams' | 'name' | 'inlineMs' | 'unattendedMs' | 'joinMs' | 'ui'>;

/** Reads a config file; an error names the file, the field, its value and what is expected. */
export function readGatewayConfig(file: string): Config {
  const path = resolve(file);
  const { mcpServers, ...settings } = parseFile(readJson(path), { of: path, whole: 'the config' });
  const upstreams = Object.entries(mcpServers).map(([name, entry]) => {
    parseServer(entry, { of: path, field: `mcpServers.${name}` });
    return [name, toUpstream(name, entry, dirname(path))] as const;
  });
  const given = Object.entries(settings).filter(([, one]) => one !== undefined);
  return { upstreams: Object.fromEntries(upstreams), ...Object.fromEntries(given) };
}

function toUpstream(name: string, entry: Readonly<Record<string, unknown>>, directory: string): Upstream {
  const { type: _type, policy, tools, connections, ...spec } = entry;
  const whole = expand(spec as never) as Record<string, unknown>;
  const place = whole.command === undefined ? {} : { cwd: resolve(directory, String(whole.cwd ?? '.')) };
  return {
    ...whole,
    ...place,
    ...toSignedIn(whole, name),
    ...(policy !== undefined && { policy }),
    ...(tools !== undefined && { tools }),
    ...(connections !== undefined && { connections }),
  } as Upstream;
}

/** An HTTP server configured without a token may require a person to sign in. */
function toSignedIn({ url, headers }: Readonly<Record<string, unknown>>, name: string): Partial<Upstream> {
  const names = isObject(headers) ? Object.keys(headers).map((one) => one.toLowerCase()) : [];
  if (typeof url !== 'string' || !URL.canParse(url) || names.includes('authorization')) return {};
  return { fetch: openAuthorizedFetch(url, name) };
}
