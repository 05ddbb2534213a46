import 'server-only';
import { headers as requestHeaders } from 'next/headers';
import { redirect } from 'next/navigation';
import { sessionHeaders, visitorIn } from '../api/visitor.ts';
import { type ApiAnswer, fetchAnswer } from './api-answer.ts';
import { loginPath } from './safe-callback.ts';
import { currentPath, requireSession } from './session.ts';

export type { ApiAnswer };

/**
 * Calls the JSON API from a server component with the session's token (WEB-3). A 401 redirects to the sign-in page. Every other
 * error is returned, with status 0 if there was no usable answer (WEB-8).
 */
export async function apiServer<T>(path: `/api/${string}`, init: RequestInit = {}): Promise<ApiAnswer<T>> {
  const session = await requireSession();
  const headers = new Headers(init.headers);
  const own = { ...visitorIn(await requestHeaders()), ...sessionHeaders(session) };
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  headers.set('accept', 'application/json');
  const times = { expires: session.accessTokenExpires, now: Date.now() };
  const answer = await fetchAnswer<T>(path, { ...init, headers }, times);
  if (answer === 'ended') redirect(loginPath(await currentPath(), 'ended'));
  return answer;
}
