/**
 * A call that is tried on the line of its request before it becomes a task.
 *
 * What it tells meanwhile is told when it was quick enough, and by its task otherwise: nobody hears it twice.
 */
import type { Clock } from '../../clock.ts';
import type { RequestChannel, RpcResult } from '../../dialects/server-port.ts';
import { isTaskError, TaskError } from '../../errors.ts';
import { SHOWN_RESULT } from '../../limits.ts';
import { toLeastBytes } from '../frames/json-size.ts';
import type { ServerTool } from '../tools/server-tool.ts';
import { type DirectCall, runDirectly, toFailedResult } from './direct-call.ts';

type QuickTry = NonNullable<ServerTool['quick']>;

/** The result; nothing when it was not there in time, is too large, or the work could not be done now. */
export async function callQuickly(call: DirectCall, quick: QuickTry, clock: Clock): Promise<RpcResult | undefined> {
  const ms = quick.withinMs();
  if (ms === undefined || ms === 0) return undefined;
  const controller = new AbortController();
  const { channel, flush } = withhold(call.channel);
  let isLate = false;
  const callOff = clock.after(ms, () => {
    isLate = true;
    controller.abort(new TaskError('CANCELLED', 'it takes so long that it becomes a task'));
  });
  try {
    const result = await runDirectly({ ...call, channel }, controller);
    if (!isLate && toLeastBytes(result) <= SHOWN_RESULT.textBytes) {
      await flush();
      return result;
    }
  } catch (error) {
    // An error of the tool is its answer; what we can name ourselves, such as a server that is away, a task gets over.
    if (!isLate) return isTaskError(error) ? undefined : toFailedResult(error);
  } finally {
    callOff();
  }
  quick.onMissed();
  return undefined;
}

function withhold(channel: RequestChannel) {
  const told: (() => Promise<void>)[] = [];
  const later = async (tell: () => Promise<void>) => void told.push(tell);
  const withheld: RequestChannel = {
    ...channel,
    notify: (method, params) => later(() => channel.notify(method, params)),
    log: (level, data) => later(() => channel.log(level, data)),
  };
  const flush = async () => {
    for (const tell of told) await tell();
  };
  return { channel: withheld, flush };
}
