import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { TaskError } from '../../../errors.ts';
import { readPackage } from '../../version.ts';
import type { InitContext } from './init-commands.ts';
import { toTemplate } from './template.ts';

const NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Creates a new server's files; never overwrites an existing file. */
export async function makeServer({ args: [dir = '.'], values, terminal }: InitContext): Promise<number> {
  const folder = resolve(dir);
  const name = values.name ?? toName(basename(folder));
  if (!NAME.test(name)) {
    const expected = 'small letters, digits, dots, hyphens and underscores, such as "reports"';
    throw new TaskError(
      'USAGE',
      `the name of the server is ${JSON.stringify(name)}; expected ${expected}: --name NAME`,
    );
  }
  const { version, peerDependencies } = readPackage();
  const files = toTemplate({ name, folder, version, peerDependencies });
  const taken = Object.keys(files).filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0) {
    throw new TaskError('USAGE', `${folder} has ${taken.join(', ')}; expected a directory without such files`);
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    // `wx`, because the file may have been created since the check above.
    writeFileSync(join(folder, file), text, { flag: 'wx' });
  }
  if (terminal.json) terminal.printJson({ name, folder, files: Object.keys(files) });
  else terminal.print(toNextSteps(folder, Object.keys(files)));
  return 0;
}

/** A directory name may hold characters that a server name may not. */
function toName(folder: string): string {
  return folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 100);
}

function toNextSteps(folder: string, files: readonly string[]): string {
  const way = relative(process.cwd(), folder);
  const shown = files.map((file) => `  ${join(way, file)}`);
  const enter = way === '' ? [] : [`  cd ${/^[\w./-]+$/.test(way) ? way : JSON.stringify(way)}`];
  return [
    'made',
    ...shown,
    '',
    'Next:',
    ...enter,
    '  npm install',
    '  npm test        # builds it, starts it and calls its tool',
    '  npm run call    # calls the tool from the command line, with a bar',
    '',
    'README.md has the settings for Claude Code, Cursor, VS Code and others.',
  ].join('\n');
}
