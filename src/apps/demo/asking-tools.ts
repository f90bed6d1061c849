import { z } from 'zod';
import { type AskOptions, type HoldfastServer, isTaskError, type Json, type ServerTaskContext } from '../../index.ts';

const name: AskOptions = { message: 'What is your name?', schema: z.object({ name: z.string() }) };
const confirm: AskOptions = { message: 'Please confirm', schema: z.object({ ok: z.boolean() }) };

/** Tools that ask the client while they run: forms, sampling and roots. */
export function addAskingTools(server: HoldfastServer): void {
  server
    .tool('test_sampling', {
      description: "Has the client's model complete a prompt",
      input: z.object({ prompt: z.string() }),
      async run({ prompt }, task) {
        const reply = await task.ask({ sampling: toSampling(prompt, 100) });
        return `LLM response: ${toReplyText(reply)}`;
      },
    })
    .tool('test_elicitation', {
      description: 'Asks the user for a name and an address',
      input: z.object({ message: z.string() }),
      async run({ message }, task) {
        const schema = toObjectSchema({
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        });
        return `User response: ${await askForm(task, { message, schema })}`;
      },
    })
    .tool('test_elicitation_sep1034_defaults', {
      description: 'Asks with a default of every kind',
      run: async (_args, task) =>
        `Elicitation completed: ${await askForm(task, { message: 'Please check these', schema: DEFAULTS })}`,
    })
    .tool('test_elicitation_sep1330_enums', {
      description: 'Asks with choices of every kind',
      run: async (_args, task) =>
        `Elicitation completed: ${await askForm(task, { message: 'Please choose', schema: CHOICES })}`,
    });
  addUpfrontTools(server);
  addRoundTools(server);
}

const DEFAULTS = toObjectSchema(
  {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  [],
);

const OPTIONS = ['option1', 'option2', 'option3'];
const TITLED = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title: `${title} Option` }));

const CHOICES = toObjectSchema(
  {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: TITLED },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: { type: 'array', items: { anyOf: TITLED } },
  },
  [],
);

function toObjectSchema(properties: Record<string, Json>, required = Object.keys(properties)) {
  return { type: 'object', properties, required };
}

function toSampling(prompt: string, maxTokens: number): Json {
  return { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens };
}

function toReplyText(reply: Json): string {
  const { content } = reply as { content?: { text?: string } };
  return content?.text ?? JSON.stringify(reply);
}

async function askForm(task: ServerTaskContext, question: { message: string; schema: unknown }): Promise<string> {
  try {
    return `action=accept, content=${JSON.stringify(await task.ask(question))}`;
  } catch (error) {
    if (!isTaskError(error, 'QUESTION_DECLINED')) throw error;
    return `action=${String(error.data?.action)}, content={}`;
  }
}

/** Tools that ask before their task is created. */
function addUpfrontTools(server: HoldfastServer): void {
  const capital: AskOptions = { sampling: toSampling('What is the capital of France?', 100) };
  const greeting: AskOptions = { sampling: toSampling('Generate a greeting', 50) };
  const roots: AskOptions = { roots: true };
  const sets: Readonly<Record<string, Readonly<Record<string, AskOptions>>>> = {
    test_input_required_result_elicitation: { user_name: name },
    test_input_required_result_sampling: { capital_question: capital },
    test_input_required_result_list_roots: { client_roots: roots },
    test_input_required_result_request_state: { confirm },
    test_input_required_result_tampered_state: { confirm },
    test_input_required_result_multiple_inputs: { user_name: name, greeting, client_roots: roots },
    test_missing_capability: { capital_question: capital },
    test_streaming_elicitation: { user_name: name },
  };
  for (const [tool, questions] of Object.entries(sets)) {
    server.tool(tool, {
      description: `Asks before it starts: ${Object.keys(questions).join(', ')}`,
      upfront: () => questions,
      run: (_args, task) => `state-ok: ${JSON.stringify(task.upfront)}`,
    });
  }
}

/** Tools that ask one question after another, or only questions that a client can answer. */
function addRoundTools(server: HoldfastServer): void {
  server
    .tool('test_input_required_result_multi_round', {
      description: 'Asks for a name, then for a colour',
      async run(_args, task) {
        const first = await task.ask({ ...name, key: 'step1' });
        const schema = z.object({ color: z.string() });
        const second = await task.ask({ key: 'step2', message: 'What is your favourite colour?', schema });
        return `${JSON.stringify(first)} likes ${second.color}`;
      },
    })
    .tool('test_input_required_result_capabilities', {
      description: 'Asks a form and a model, and makes do with either',
      async run(_args, task) {
        const asked = [
          task.ask({ ...name, key: 'user_name' }),
          task.ask({ key: 'thought', sampling: toSampling('Say something', 50) }),
        ];
        const answers = await Promise.allSettled(asked);
        return answers.map(({ status }) => status).join(', ');
      },
    });
}
