/** The page behind a link to one question. Every holder of the link can open it, and it gives access to nothing else. */
import { toAnswer, toJsonAnswer, toTextAnswer } from '../http/answers.ts';
import { readAsset } from '../http/assets.ts';
import { readBody } from '../http/request-body.ts';
import { parseGivenAnswer } from '../routes/task-routes.ts';
import type { AnswerLinks } from './answer-links.ts';

const PLACE = '/answer/';
// Small, because any client that reaches the port can send a body.
const MAX_BYTES = 256 * 1024;

/** Whether a path below the base of the dashboard belongs to this page. */
export function isAnswerPath(path: string): boolean {
  return path === '/answer' || path.startsWith(PLACE);
}

/** Serves one request for the page. @param base the path of the dashboard */
export async function serveAnswerPage(
  links: AnswerLinks,
  request: Request,
  { path, base }: { readonly path: string; readonly base: string },
): Promise<Response> {
  if (path === '/answer') return toAnswer(null, 303, { location: `${base}${PLACE}` });
  const name = path.slice(PLACE.length);
  if (request.method === 'POST') return serveLink(links, request, name);
  if (request.method !== 'GET' && request.method !== 'HEAD') return toTextAnswer('method not allowed', 405);
  if (name === '') return readAsset('answer.html');
  return name === 'icon.svg' || name.startsWith('assets/') ? readAsset(name) : toTextAnswer('not found', 404);
}

async function serveLink(links: AnswerLinks, request: Request, name: string): Promise<Response> {
  if (name !== 'api/look' && name !== 'api/answer') return toTextAnswer('not found', 404);
  const { token, ...body } = await readBody(request, MAX_BYTES);
  if (name === 'api/look') return toJsonAnswer(await links.read(token));
  // A link is for one question: the caller cannot choose the key.
  const { answer } = parseGivenAnswer({ ...body, key: '' });
  return toJsonAnswer(await links.answer(token, answer));
}
