import { callApi } from '../api/call-api.ts';

const WITHIN_MS = 15_000;
const OUTAGE = 'Our servers aren’t responding right now.';

/** An answer of the API, whose `ok` the caller must check. Status 0 means that there was no usable answer. */
export type ApiAnswer<T> = { ok: true; status: number; data: T } | { ok: false; status: number; message: string };

interface AskOptions {
  /** The end of the access token and the current time, in milliseconds since the epoch. */
  expires: number;
  now: number;
  withinMs?: number;
}

/**
 * Calls the API with the headers of a session and reads its answer. Never throws.
 * @returns 'ended' after a 401, because the API no longer accepts the session.
 */
export async function fetchAnswer<T>(
  path: `/api/${string}`,
  init: RequestInit,
  { expires, now, withinMs = WITHIN_MS }: AskOptions,
): Promise<ApiAnswer<T> | 'ended'> {
  // The token expired because proxy.ts got no answer when it renewed it. That is an outage, and not the end of the session.
  if (now >= expires) return { ok: false, status: 503, message: OUTAGE };
  let response: Response;
  try {
    response = await callApi(path, init, { withinMs, repeats: (init.method ?? 'GET') === 'GET' });
  } catch (error) {
    return { ok: false, status: 0, message: error instanceof Error ? error.message : OUTAGE };
  }
  if (response.status === 401) {
    await response.body?.cancel();
    return 'ended';
  }
  return readAnswer<T>(response);
}

/** A success without JSON counts as an outage, because a page would fail without its data (WEB-8). */
async function readAnswer<T>(response: Response): Promise<ApiAnswer<T>> {
  const { ok, status, statusText } = response;
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    return ok ? { ok: false, status: 0, message: OUTAGE } : { ok: false, status, message: statusText };
  }
  return ok ? { ok: true, status, data: body as T } : { ok: false, status, message: messageOf(body) ?? statusText };
}

function messageOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('message' in body)) return null;
  return typeof body.message === 'string' ? body.message : null;
}
