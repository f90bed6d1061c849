import type { Outbox, OutboxMessage, OutboxTake } from '../contracts/outbox-contract.ts';
import type { MemoryState } from './memory-state.ts';
import type { Message } from './message-table.ts';

export function createMemoryOutbox(state: MemoryState): Outbox {
  return {
    take: async (request) => take(state.open(), request),
    done: async (messageId) => state.open().messages.remove(messageId),
    postpone: async (messageId, dueAt) => {
      state.open().messages.postpone(messageId, dueAt);
    },
    waiting: async (taskId) => {
      const { tasks, messages } = state.open();
      const row = tasks.find({ taskId });
      return row ? messages.of(row.task) : [];
    },
  };
}

function take(state: MemoryState, request: Parameters<Outbox['take']>[0]): OutboxTake {
  const topics = new Set(request.topics);
  const { now, messages } = state;
  const taken = messages.due(topics, now, request.max).flatMap((message) => {
    messages.postpone(message.messageId, now + request.holdMs);
    message.tries += 1;
    return toOutboxMessage(state, message) ?? [];
  });
  const nextDueAt = messages.nextDueAt(topics);
  return nextDueAt === undefined ? { messages: taken } : { messages: taken, nextDueAt };
}

function toOutboxMessage(state: MemoryState, message: Message): OutboxMessage | undefined {
  const { messageId, topic, data, tries } = message;
  const task = state.tasks.find(message)?.task;
  return task && { messageId, topic, ...(data !== undefined && { data }), task, tries };
}
