import 'server-only';
import { headers as requestHeaders } from 'next/headers';
import { redirect } from 'next/navigation';
import { askApi } from '../api/ask-api.ts';
import { sessionHeaders, visitorIn } from '../api/visitor.ts';
import { noteSnapshot } from './rendered-as-of.ts';
import { loginPath } from './safe-callback.ts';
import { currentPath, requireSession } from './session.ts';

const WITHIN_MS = 15_000;

/** An answer of the API. It is returned whatever it is: the caller must look at `ok`. */
export type ApiAnswer<T> = { ok: true; status: number; data: T } | { ok: false; status: number; message: string };

/**
 * Calls the JSON API from a server component, with the session's token on every request. A 401 leads to the sign-in page;
 * every other error is returned, also that of a network which does not answer (status 0).
 */
export async function apiServer<T>(path: `/api/${string}`, init: RequestInit = {}): Promise<ApiAnswer<T>> {
  const session = await requireSession();
  if (Date.now() >= session.accessTokenExpires) {
    // proxy.ts could not renew it because the API did not answer: that is an outage, not the end of the session.
    return { ok: false, status: 503, message: 'Case Platform isn’t responding right now.' };
  }
  const headers = new Headers(init.headers);
  const known = { ...visitorIn(await requestHeaders()), ...sessionHeaders(session) };
  for (const [name, value] of Object.entries(known)) headers.set(name, value);
  headers.set('accept', 'application/json');
  headers.set('x-page', 'yes');
  let response: Response;
  try {
    const repeats = (init.method ?? 'GET') === 'GET';
    response = await askApi(path, { ...init, headers }, { withinMs: WITHIN_MS, repeats });
  } catch (error) {
    return {
      ok: false,
      status: 0,
      message:
        error instanceof Error ? error.message : 'We can’t reach Case Platform. Check your connection and try again.',
    };
  }
  noteSnapshot(response.headers.get('x-snapshot'));
  if (response.status === 401) redirect(loginPath(await currentPath(), 'ended'));
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return { ok: true, status: response.status, data: body as T };
  return { ok: false, status: response.status, message: messageOf(body) ?? response.statusText };
}

function messageOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('message' in body)) return null;
  return typeof body.message === 'string' ? body.message : null;
}
