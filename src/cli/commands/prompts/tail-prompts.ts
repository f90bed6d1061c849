import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { visitEntries } from '../../../dialects/ui-prompts/log/log-entries.ts';
import { takeMark } from '../../../dialects/ui-prompts/log/log-mark.ts';
import { LogTail, ShownLines } from '../../../dialects/ui-prompts/log/log-tail.ts';
import type { PromptEntry } from '../../../dialects/ui-prompts/wire.ts';
import type { JsonObject } from '../../../host/index.ts';
import { keepAlive } from '../../../keep-alive.ts';
import { checkLog, findPlace } from '../../stores/prompt-place.ts';
import { INTERRUPTED } from '../../terminal/interrupt.ts';
import { toEntryLine, toShown } from '../../terminal/prompt-text.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { PromptsTailContext } from './prompt-commands.ts';

const DEFAULT_LINES = 10;

/** Prints the last entries of a prompt log; with `--follow` also new ones, until Ctrl-C. */
export async function tailPrompts({ values, terminal }: PromptsTailContext): Promise<number> {
  const { lines: count = DEFAULT_LINES, follow } = values;
  const place = await findPlace(values);
  if (!follow) checkLog(place);
  else if (!existsSync(place.path)) terminal.remark(`waiting for ${place.path}`);
  const printer = new EntryPrinter(terminal);
  // The mark is set before reading: an entry appended meanwhile is read twice and shown once.
  const mark = await takeMark(place.path);
  const shown = await printLast(place.path, { count, printer });
  if (!follow) return 0;
  const onEntry = (entry: PromptEntry) => printer.print(entry);
  const tail = new LogTail(place.path, { mark, shown, onEntry, onSkipped: (skipped) => printer.skip(skipped) });
  // Neither the file watcher nor its timer keeps the process alive.
  const letGo = keepAlive();
  try {
    await once(process, 'SIGINT');
  } finally {
    letGo();
    await tail.close();
  }
  return INTERRUPTED;
}

async function printLast(path: string, options: { count: number; printer: EntryPrinter }): Promise<ShownLines> {
  const { count, printer } = options;
  const shown = new ShownLines();
  const last: PromptEntry[] = [];
  const skipped = await visitEntries(path, {
    visit(entry, line) {
      if (!shown.add(line)) return;
      printer.learn(entry);
      last.push(entry);
      if (last.length > count) last.shift();
    },
  });
  printer.skip(skipped);
  for (const entry of last) printer.print(entry);
  return shown;
}

/** Prints entries, and remembers prompts so that the secrets in their responses can be masked. */
class EntryPrinter {
  readonly #terminal: Terminal;
  readonly #prompts = new Map<string, JsonObject>();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Remembers an entry without printing it. */
  learn(entry: PromptEntry): void {
    if (entry.action === 'request' && Array.isArray(entry.prompt.fields)) {
      this.#prompts.set(entry.requestId, { fields: entry.prompt.fields });
    }
  }

  print(entry: PromptEntry): void {
    this.learn(entry);
    const prompt = this.#prompts.get(entry.requestId);
    if (this.#terminal.json) this.#terminal.printJson(toShown(entry, prompt));
    else this.#terminal.print(toEntryLine(entry, prompt, this.#terminal));
  }

  skip(count: number): void {
    if (count === 0) return;
    const line = this.#terminal.json ? JSON.stringify({ skippedLines: count }) : `${count} lines are no entries`;
    this.#terminal.remark(line);
  }
}
