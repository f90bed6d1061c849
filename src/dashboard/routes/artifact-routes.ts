import type { Principal, TaskClient } from '../../index.ts';
import { ARTIFACT_READ_BYTES } from '../../limits.ts';
import { toAnswer } from '../http/answers.ts';
import type { Route } from '../http/route.ts';

/** Artifacts of tasks as downloads. */
export function toArtifactRoutes(client: TaskClient): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/api/tasks/:taskId/artifacts/:name',
      handle: ({ params, principal }) =>
        download(client, { taskId: params.taskId ?? '', name: params.name ?? '', principal }),
    },
  ];
}

interface Wanted {
  readonly taskId: string;
  readonly name: string;
  readonly principal: Principal;
}

/**
 * Reads part by part, as fast as the browser accepts it. The content is untrusted: it is downloaded, and never shown as a page of
 * ours.
 */
async function download(client: TaskClient, { taskId, name, principal }: Wanted): Promise<Response> {
  const read = (offset: number) => client.artifact(taskId, name, { offset, limit: ARTIFACT_READ_BYTES, principal });
  const first = await read(0);
  let part: typeof first | undefined = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (part === undefined) return controller.close();
      controller.enqueue(new Uint8Array(part.bytes));
      part = part.nextOffset === undefined ? undefined : await read(part.nextOffset);
      if (part === undefined) controller.close();
    },
  });
  return toAnswer(body, 200, {
    'content-type': 'application/octet-stream',
    'content-length': String(first.size),
    // Safe in a header: an artifact's name contains only letters, digits, _ . and -.
    'content-disposition': `attachment; filename="${name}${toEnding(name, first.mimeType)}"`,
  });
}

const ENDINGS: Readonly<Record<string, string>> = {
  'text/plain': '.txt',
  'text/markdown': '.md',
  'text/html': '.html',
  'text/csv': '.csv',
  'application/json': '.json',
  'application/pdf': '.pdf',
  'image/png': '.png',
  'image/jpeg': '.jpg',
};

function toEnding(name: string, mimeType: string): string {
  return name.includes('.') ? '' : (ENDINGS[mimeType.split(';')[0]?.trim() ?? ''] ?? '');
}
