import { acceptedContent, completable, inputRequired, type McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { PIXEL_PNG } from './sample-media.ts';

const CITIES = ['palermo', 'paris', 'parma', 'prague'];

/** Registers prompts directly on the SDK server. */
export function addPrompts(mcp: McpServer): void {
  mcp.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () =>
    toMessages([toText('This is a simple prompt for testing.')]),
  );
  mcp.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments, the first with completion',
      argsSchema: z.object({
        arg1: completable(z.string(), (typed) => CITIES.filter((city) => city.startsWith(typed))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => toMessages([toText(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)]),
  );
  mcp.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt that carries a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' };
      return toMessages([{ type: 'resource', resource }, toText('Please process the embedded resource above.')]);
    },
  );
  mcp.registerPrompt('test_prompt_with_image', { description: 'A prompt that carries an image' }, () =>
    toMessages([{ type: 'image', data: PIXEL_PNG, mimeType: 'image/png' }, toText('Please analyze the image above.')]),
  );
  addAskingPrompt(mcp);
}

function addAskingPrompt(mcp: McpServer): void {
  const requestedSchema = z.object({ context: z.string() });
  mcp.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks before it answers' },
    ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_context', requestedSchema);
      if (answer) return toMessages([toText(`Context: ${answer.context}`)]);
      const message = 'What context should the prompt use?';
      return inputRequired({ inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema }) } });
    },
  );
}

type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string; text: string } };

function toText(text: string): Content {
  return { type: 'text', text };
}

function toMessages(contents: readonly Content[]) {
  return { messages: contents.map((content) => ({ role: 'user' as const, content })) };
}
