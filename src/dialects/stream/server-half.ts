/** Calls that are acknowledged at once and answered by notifications while they run. */
import { toValueText } from '../../text/value-text.ts';
import type { ServerDialect } from '../server-dialect.ts';
import { toDeliveryMark } from '../shared/following/delivery-mark.ts';
import { invalidParams } from '../shared/outcomes/rpc-failure.ts';
import { type RunDetails, StreamFollower } from './server/follower.ts';
import { findRun } from './server/run-address.ts';
import { isSessionRun, toRunLabel } from './server/run-label.ts';
import { toStreamChannel } from './server/stream-channel.ts';
import { STREAM_META, toStreamAck } from './wire.ts';

const NAME = 'stream';

export const streamServer: ServerDialect = {
  name: NAME,

  takes({ meta, caller, tool: { taskMode, stream } }) {
    if (stream.calls === 'none') return undefined;
    const asked = meta[STREAM_META];
    if (asked !== undefined && typeof asked !== 'boolean') {
      throw invalidParams(`_meta.${STREAM_META} is ${toValueText(asked)}; expected true or false`);
    }
    if (asked === false || !caller.acceptsNotifications || taskMode === 'never') return undefined;
    if (asked === true) return 'asked';
    return stream.calls === 'default' ? 'default' : undefined;
  },

  async answer(call, port) {
    const { task, hold, created } = await call.submit({ dialect: NAME, options: toDeliveryMark(call.caller) });
    await hold?.handOver();
    const address = findRun(call, port);
    if (!address) throw new Error(`nothing can be told on the connection of ${call.name}`);
    const details: RunDetails = { address, isEndOnly: false, isJoined: !created };
    call.channel.follow(NAME, task, details);
    return { ...toStreamAck(task, address) };
  },

  addToSubmission(call, submission, port) {
    if (submission.dialect !== NAME && call.tool.stream.calls !== 'default') return undefined;
    const address = findRun(call, port);
    if (!address) return undefined;
    const labels = toRunLabel(address);
    // A streamed call starts its follower in `answer`.
    if (submission.dialect === NAME) return { labels };
    return {
      labels,
      onWritten({ task, created }) {
        const details: RunDetails = { address, isEndOnly: true, isJoined: !created };
        call.channel.follow(NAME, task, details);
      },
    };
  },

  /** Hides the output schema: the acknowledgement has another schema than the result. */
  toListing(listing, { caller, tool }) {
    const isStreamed = tool?.taskMode !== 'never' && tool?.stream.calls === 'default';
    if (!isStreamed || caller.declaresTasks || !caller.acceptsNotifications) return listing;
    const { outputSchema, ...bare } = listing;
    return bare as typeof listing;
  },

  createFollower({ connection, engine, report }, { clock }) {
    const { sessionId } = connection;
    const line = toStreamChannel({ engine, clock }, connection);
    const runs = new StreamFollower({ engine, line, now: () => engine.now(), report });
    return {
      follow: (task, details) => runs.follow({ task, ...(details as RunDetails) }),
      resume(task) {
        if (sessionId !== undefined && isSessionRun(task, sessionId)) runs.resume(task);
      },
      close: () => runs.close(),
    };
  },
};
