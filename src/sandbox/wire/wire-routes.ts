import type { Route } from '../../dashboard/http/route.ts';
import type { WireBook } from './wire-book.ts';

/** What went over the wire for a call, and for a task that a call of the page made. */
export function toWireRoutes(wire: WireBook): readonly Route[] {
  return [
    { method: 'GET', path: '/api/calls/:callId/wire', handle: ({ params }) => wire.ofCall(params.callId ?? '') },
    { method: 'GET', path: '/api/tasks/:taskId/wire', handle: ({ params }) => wire.ofTask(params.taskId ?? '') },
  ];
}
