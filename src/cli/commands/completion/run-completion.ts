import { TaskError } from '../../../errors.ts';
import { complete } from '../../command-line/completion.ts';
import type { CompletionContext } from './completion-commands.ts';
import { SHELL_SCRIPTS } from './shell-scripts.ts';

export async function printScript({ args: [shell = ''], terminal }: CompletionContext): Promise<number> {
  if (!Object.hasOwn(SHELL_SCRIPTS, shell)) {
    const expected = Object.keys(SHELL_SCRIPTS).join(', ');
    throw new TaskError('USAGE', `SHELL is ${JSON.stringify(shell)}; expected: ${expected}`);
  }
  terminal.print(SHELL_SCRIPTS[shell as keyof typeof SHELL_SCRIPTS].trimEnd());
  return 0;
}

export async function printWords({ rest, terminal, listCommands }: CompletionContext): Promise<number> {
  const found = complete(await listCommands(), rest);
  if (found.kind !== 'words') terminal.print(`:${found.kind}`);
  else if (found.words.length > 0) terminal.print(found.words.join('\n'));
  return 0;
}
