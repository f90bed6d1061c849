import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from '../../../campaign/soak/soak-options.ts';
import { TaskError } from '../../../errors.ts';
import type { SoakedValues } from './campaign-commands.ts';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** The demo, which is soaked unless another server is given. */
export const DEMO = 'holdfast demo';

/** The server that the command line selects: the demo, a URL, a program file, or a command after `--`. */
export function parseTarget(values: SoakedValues, rest: readonly string[]): Target {
  const { url, wrapper } = values;
  const ways = [url, wrapper, rest[0]].filter((way) => way !== undefined);
  if (ways.length > 1) {
    throw new TaskError(
      'USAGE',
      'which server? expected: one of --url URL, --wrapper FILE or -- COMMAND…, or none for a demo',
    );
  }
  if (url !== undefined) return { kind: 'url', place: { url: checkUrl(url), ...toAuthorization() } };
  if (wrapper !== undefined) return toCommand(toInterpreted(wrapper), values);
  if (rest.length > 0) return toCommand(rest, values);
  const demo = [process.execPath, MAIN, 'demo'];
  return { kind: 'command', label: DEMO, stdio: demo, http: [...demo, '--http', '0', '--json'], passEnv: ['*'] };
}

function toCommand(line: readonly string[], values: SoakedValues): Target {
  const passEnv = (values['pass-env'] ?? '').split(',').filter(Boolean);
  return { kind: 'command', label: line.join(' '), stdio: line, http: line, passEnv };
}

/** Runs a program file with the interpreter for its extension. */
function toInterpreted(file: string): readonly string[] {
  const ending = extname(file);
  if (ending === '.py') return ['python3', file];
  return ['.js', '.mjs', '.cjs', '.ts'].includes(ending) ? [process.execPath, file] : [file];
}

/** Read from the environment, not from an option: a command line is visible to every user of the machine. */
function toAuthorization(): { readonly headers?: Record<string, string> } {
  const token = process.env.HOLDFAST_TOKEN;
  return token ? { headers: { authorization: `Bearer ${token}` } } : {};
}

function checkUrl(url: string): string {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new TaskError('USAGE', `--url is ${JSON.stringify(url)}; expected an http or https URL`);
}
