import type { InputCapabilities } from '../../dialects/shared/questions/mcp-input.ts';
import type { QuestionChannel } from '../../dialects/shared/questions/question-request.ts';
import type { Connection } from './connection.ts';

/** Returns how to ask a client on the stream of one request, or on its standing stream; undefined where it cannot be asked. */
export function toQuestionChannel(
  { sendRequest, canSend, asked }: Connection,
  capabilities: InputCapabilities,
  relatedId?: string | number,
): QuestionChannel | undefined {
  if (!sendRequest || !canSend || !asked) return undefined;
  return {
    capabilities,
    asked,
    canSend: () => canSend(relatedId),
    request: (id, method, given) => sendRequest({ id, method, params: given }, relatedId),
  };
}
