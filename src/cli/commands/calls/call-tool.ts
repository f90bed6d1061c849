import { TaskError } from '../../../errors.ts';
import type { JsonObject } from '../../../host/index.ts';
import { isObject } from '../../../is-object.ts';
import { readJsonArgument } from '../../command-line/json-argument.ts';
import { findServer } from '../../servers/find-server.ts';
import { openCalls } from '../../stores/open-calls.ts';
import { awaitCalls } from './await-calls.ts';
import type { CallContext } from './call-commands.ts';

/** Calls a tool and waits for its outcome, unless `--detach` is given. */
export async function callTool(context: CallContext): Promise<number> {
  const { args, rest, values, terminal } = context;
  const { session, 'max-wait': maxWaitS, trust = false } = values;
  const [tool = '', json] = args;
  await using open = await openCalls({ values, terminal, create: true });
  const { host } = open;
  const { name, spec, origin } = await findServer({ ...values, command: rest }, { terminal, isTrusted: trust });
  const given = parseArguments(json && (await readJsonArgument(json)));
  await host.connect(name, spec);
  const call = await host.call(name, tool, given, {
    ...(session !== undefined && { sessionId: session }),
    ...(maxWaitS !== undefined && { maxWaitMs: 1000 * maxWaitS }),
    ...(origin !== undefined && { origin: { ...origin } as unknown as JsonObject }),
  });
  if (!values.detach) return await awaitCalls([call], terminal);
  // A call that is not sent before this process exits would never be sent.
  await call.sent();
  if (terminal.json) terminal.printJson({ callId: call.callId });
  else terminal.print(call.callId);
  return 0;
}

function parseArguments(json = '{}'): JsonObject {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value as JsonObject;
  } catch {
    // The error is thrown below.
  }
  // The arguments are not repeated in the message: they may hold secrets.
  throw new TaskError(
    'USAGE',
    `the arguments are not usable; expected a JSON object such as '{"year":2025}', or - for stdin`,
  );
}
