import type { Submission, SubmissionAddition, Written } from '../../dialects/server-port.ts';
import { KEY_META } from '../../dialects/shared/idempotency-key.ts';
import { invalidParams } from '../../dialects/shared/outcomes/rpc-failure.ts';
import type { Engine } from '../../engine/engine.ts';
import type { SubmitOptions } from '../../engine/intake/submit.ts';
import { isTaskError } from '../../errors.ts';
import type { Task } from '../../task/record.ts';
import { toValueText } from '../../text/value-text.ts';
import type { ServerParts } from '../server-parts.ts';
import type { ParsedServerTool } from '../tools/server-tool.ts';
import { readTrace, toMetaLabel } from '../tools/stored-meta.ts';
import { findUpfrontSecrets } from '../tools/upfront-secrets.ts';
import type { CheckedServerCall } from './server-call.ts';

/** Writes the task of a call; it is on disk when this resolves. */
export async function submitCall(
  parts: ServerParts,
  call: CheckedServerCall,
  submission: Submission,
): Promise<Written> {
  const engine = await parts.openEngine();
  const { tool, stored, caller } = call;
  const additions = await collectAdditions(parts, call, submission);
  const own = tool.definition.deliver?.(stored.prepared) ?? [];
  const added = additions.flatMap(({ deliver = [] }) => deliver);
  const redact = findUpfrontSecrets(tool, stored);
  const idempotencyKey = readKey(call);
  const trace = readTrace(call.meta);
  const { task, hold, created } = await submit(engine, call, {
    ...submission.options,
    deliver: [...(submission.options?.deliver ?? []), ...added, ...own],
    principal: caller.principal,
    client: caller.client,
    ...(redact.length > 0 && { redact }),
    ...(trace && { trace }),
    labels: Object.assign(toLabels(call, submission), ...additions.map(({ labels }) => labels)),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  const written = { engine, task, ...(hold && { hold }), created };
  for (const { onWritten } of additions) onWritten?.(written);
  if (created) void tellSubmitted(parts, tool, task);
  return written;
}

async function tellSubmitted({ report }: ServerParts, tool: ParsedServerTool, task: Task): Promise<void> {
  try {
    await tool.definition.onSubmitted?.(task);
  } catch (error) {
    report(error);
  }
}

/** Collects what dialects add to the task, in whichever form the call is answered: labels, and outbox messages for its end. */
async function collectAdditions(
  { dialects, port }: ServerParts,
  call: CheckedServerCall,
  submission: Submission,
): Promise<SubmissionAddition[]> {
  const additions: SubmissionAddition[] = [];
  for (const dialect of dialects) {
    const given = dialect.addToSubmission?.(call, submission, port);
    // Most dialects add nothing, synchronously.
    const addition = given && (await given);
    if (addition) additions.push(addition);
  }
  return additions;
}

function toLabels({ caller, channel, tool, meta }: CheckedServerCall, { dialect }: Submission): Record<string, string> {
  const { client, sessionId } = caller;
  const { progressToken } = channel;
  return {
    dialect,
    ...(client && { client: client.name }),
    ...(sessionId && { session: sessionId }),
    ...(progressToken !== undefined && { progressToken: JSON.stringify(progressToken) }),
    ...(tool.definition.keepMeta === true && toMetaLabel(meta)),
  };
}

async function submit(engine: Engine, { name, stored }: CheckedServerCall, options: SubmitOptions) {
  try {
    return await engine.submit(name, stored, options);
  } catch (error) {
    if (!isTaskError(error, 'IDEMPOTENCY_CONFLICT') && !isTaskError(error, 'ALIAS_CONFLICT')) throw error;
    // The same call may have been stored by an older build, which named the input `args`.
    const { input, ...rest } = stored;
    return await engine.submit(name, { ...rest, args: input }, options);
  }
}

/** An invalid key must not count as none: the work would be done twice. */
function readKey({ meta }: CheckedServerCall): string | undefined {
  const key = meta[KEY_META];
  if (key === undefined || (typeof key === 'string' && key !== '')) return key;
  throw invalidParams(`_meta["${KEY_META}"] is ${toValueText(key)}; expected a non-empty text`);
}
