import type { Route } from '../../dashboard/http/route.ts';
import type { WireRecorder } from './wire-recorder.ts';

/** Routes for the recorded messages of a call, or of the task of a call. */
export function toWireRoutes(wire: WireRecorder): readonly Route[] {
  return [
    { method: 'GET', path: '/api/calls/:callId/wire', handle: ({ params }) => wire.ofCall(params.callId ?? '') },
    { method: 'GET', path: '/api/tasks/:taskId/wire', handle: ({ params }) => wire.ofTask(params.taskId ?? '') },
  ];
}
