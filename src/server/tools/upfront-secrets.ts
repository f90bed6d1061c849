import { findSecretFields } from '../../codec/secret-fields.ts';
import { toPointers } from '../../codec/secret-tree.ts';
import type { StoredCall } from '../../dialects/server-port.ts';
import { toRequest } from '../../engine/attempts/question-form.ts';
import type { ParsedServerTool } from './server-tool.ts';

/** Returns the secrets in the upfront answers, as JSON pointers into the stored call. */
export function findUpfrontSecrets(tool: ParsedServerTool, { input, upfront }: StoredCall): string[] {
  if (!tool.definition.upfront || Object.keys(upfront).length === 0) return [];
  const questions = tool.definition.upfront(tool.parseArgs(input) as never);
  return Object.entries(questions).flatMap(([key, question]) => {
    const request = toRequest(question);
    const tree = request.kind === 'form' ? findSecretFields(request.schema, upfront[key]) : undefined;
    return tree === undefined ? [] : toPointers(new Map([['upfront', new Map([[key, tree]])]]));
  });
}

/** Like `findUpfrontSecrets`, for a call stored by another version of the program, whose arguments may no longer be valid. */
export function listUpfrontSecrets(tool: ParsedServerTool, kept: StoredCall): string[] {
  try {
    return findUpfrontSecrets(tool, kept);
  } catch {
    return ['/upfront'];
  }
}
