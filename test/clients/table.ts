/** Puts what was seen of clients into words, and the words into docs/clients.md. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Story } from '../../src/sandbox/run-as/play.ts';
import { type ClientStory, type DeathStory, SECONDS } from './client-story.ts';

const PAGE = new URL('../../docs/clients.md', import.meta.url);
const BEGIN = '<!-- table: begin -->';
const END = '<!-- table: end -->';

const TESTS = '345–348';

export function toTable(stories: readonly ClientStory[]): string {
  const head = ['client', ...SECONDS.map((seconds) => `a tool of ${seconds} s`), 'is handed over', 'a question'];
  const rows = [[...head, 'when it dies in the middle of 310 s', 'tests'], ...stories.map(toRow)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const [first, ...others] = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  );
  return [first, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...others].join('\n');
}

/** The table as the page has it. */
export async function readTable(): Promise<string> {
  return (await splitPage()).table;
}

export async function writeTable(table: string): Promise<void> {
  const { before, after } = await splitPage();
  await writeFile(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
}

async function splitPage() {
  const page = await readFile(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(BEGIN);
  const [table = '', after = ''] = rest.split(END);
  return { before, table: table.trim(), after };
}

function toRow({ client, calls, question, death }: ClientStory): string[] {
  const { name, version, isRead } = client;
  const stories = [...calls.values()];
  return [
    `${name} ${isRead ? '(not measured)' : version}`,
    ...stories.map(toWhatItGets),
    toHandOver(stories),
    toQuestion(question),
    toDeath(death, client.tasks !== undefined),
    TESTS,
  ];
}

function toWhatItGets({ end, text, handedOver, furtherCalls }: Story): string {
  if (end !== 'result') return `**no result**: ${text}`;
  if (handedOver?.as === 'task') return 'a task, then the result';
  return handedOver ? `the result, by ${furtherCalls} more ${furtherCalls === 1 ? 'call' : 'calls'}` : 'the result';
}

function toHandOver(stories: readonly Story[]): string {
  const first = stories.find(({ handedOver }) => handedOver)?.handedOver;
  if (!first) return 'never, the line is held';
  if (first.as === 'words') return `after ${toSteps(first.at)} s, in words`;
  return first.at === 0 ? 'at once, as a task' : `after ${first.at} s, as a task`;
}

// The clock of the stage runs on while a busy machine is late.
const STEP_SECONDS = 10;

function toSteps(seconds: number): number {
  return seconds < STEP_SECONDS ? seconds : Math.floor(seconds / STEP_SECONDS) * STEP_SECONDS;
}

const WAYS = {
  request: 'a form, by `elicitation/create`',
  repeat: 'a form, by `input_required`',
  task: 'a form, by the task',
  words: 'in words, the model asks and answers',
};

function toQuestion({ ways, end, text }: Story): string {
  const last = ways.at(-1);
  if (end !== 'result') return `**unanswered**: ${text}`;
  if (last === undefined) return '**never asked**';
  return ways[0] !== 'words' && last === 'words' ? `the host declines; then ${WAYS.words}` : WAYS[last];
}

// Rounded, and not the grace that was asked for.
const AT_ONCE_SECONDS = 2;

function toDeath({ left, back, handedOver }: DeathStory, hasTasks: boolean): string {
  const again = back && (back.runs === 1 && back.end === 'result' ? 'gets the result' : '**begins anew**');
  if (hasTasks) return `the task ends as ${left.status}${again ? `; when it is back, it ${again}` : ''}`;
  const stopped =
    left.afterSeconds <= AT_ONCE_SECONDS
      ? '**stopped at once**'
      : `runs on for ${toSteps(left.afterSeconds)} s, then stopped`;
  const rest = handedOver && `; once handed over, ends as ${handedOver}`;
  return `${left.status === 'cancelled' ? stopped : `ends as ${left.status}`}; the same call again ${again}${rest ?? ''}`;
}
