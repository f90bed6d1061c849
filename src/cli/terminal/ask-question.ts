import type { Answer, Question } from '../../task/question.ts';
import { toPlainPage, toPlainText } from '../../text/plain-text.ts';
import { askField } from './ask-field.ts';
import { askForm } from './form/ask-form.ts';
import { parseJson } from './form/parse-line.ts';
import { parseQuestionUrl } from './question-url.ts';
import type { Terminal } from './terminal.ts';

export interface QuestionContext {
  readonly terminal: Terminal;
  /** The tool that asks. */
  readonly tool: string;
}

/** Asks the person at the terminal a task's question; returns undefined on Ctrl-C. */
export async function askQuestion(
  { request }: Question,
  { terminal, tool }: QuestionContext,
): Promise<Answer | undefined> {
  terminal.remark(toPlainText(`The tool ${tool} asks:`));
  if ('message' in request) for (const line of toPlainPage(request.message).split('\n')) terminal.remark(`  ${line}`);
  switch (request.kind) {
    case 'form': {
      const content = await askForm(request.schema, terminal);
      return content === undefined ? undefined : { action: 'accept', content };
    }
    case 'url': {
      const { host, href } = parseQuestionUrl(request.url);
      terminal.remark(`It wants you to open a page of ${host}:\n  ${href}`);
      const done = await terminal.keyboard.ask('Press Enter when you are done: ');
      return done === undefined ? undefined : { action: 'accept' };
    }
    case 'sampling':
    case 'roots': {
      const what = request.kind === 'sampling' ? 'The reply of a model' : 'The directories of the client';
      const given = await askField(terminal, { label: what, expected: 'JSON', parse: parseJson });
      return given && { action: 'accept', content: given.value };
    }
  }
}
