import { askApi } from '../api/ask-api.ts';

const WITHIN_MS = 15_000;
const OUTAGE = 'Case Platform isn’t responding right now.';

/**
 * An answer of the API. It is returned whatever it is: the caller must check `ok`. Status 0 means that there was no usable
 * answer.
 */
export type ApiAnswer<T> = { ok: true; status: number; data: T } | { ok: false; status: number; message: string };

interface Asked<T> {
  /** 'ended' after a 401: the API does not know the session. */
  answer: ApiAnswer<T> | 'ended';
  /** The snapshot that the answer was read as of, if it says so. */
  snapshot: string | null;
}

interface AskOptions {
  /** When the access token expires and what time it is, in milliseconds since the epoch. */
  expires: number;
  now: number;
  withinMs?: number;
}

/** Asks the API with the headers of a session, and reads its answer. Never throws. */
export async function askForAnswer<T>(
  path: `/api/${string}`,
  init: RequestInit,
  { expires, now, withinMs = WITHIN_MS }: AskOptions,
): Promise<Asked<T>> {
  // proxy.ts could not renew an expired token because the API did not answer. That is an outage, not the end of the session.
  if (now >= expires) return { answer: { ok: false, status: 503, message: OUTAGE }, snapshot: null };
  let response: Response;
  try {
    response = await askApi(path, init, { withinMs, repeats: (init.method ?? 'GET') === 'GET' });
  } catch (error) {
    return {
      answer: { ok: false, status: 0, message: error instanceof Error ? error.message : OUTAGE },
      snapshot: null,
    };
  }
  const snapshot = response.headers.get('x-snapshot');
  if (response.status === 401) {
    await response.body?.cancel();
    return { answer: 'ended', snapshot };
  }
  return { answer: await readAnswer<T>(response), snapshot };
}

/** A page would fail on data that is missing, so that a success without JSON counts as an outage. */
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
