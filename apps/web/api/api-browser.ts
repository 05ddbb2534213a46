import 'client-only';
import { beginVisit, resetAnalytics, visitId } from './analytics.ts';
import { ApiError, endsSession, errorFromAnswer, errorMessage, NO_ANSWER } from './api-error.ts';
import { withIdentity } from './confirm-identity.ts';
import { withCsrfToken } from './with-csrf-token.ts';

type Path = `/api/${string}`;

interface Options {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: object;
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** Sends the call to the end even if the page is left. For small bodies only: browsers allow 64 KB of such calls. */
  outlivesPage?: boolean;
}

/**
 * Calls the API from the browser by a relative path, authenticated by the session cookie (WEB-3). The body is sent as JSON.
 * @throws {ApiError} with the API's `message`, or the network error's.
 */
export function apiBrowser<T>(path: Path, options: Options = {}): Promise<T> {
  // The API may ask for the password or a code, and the call is then repeated with it.
  return withIdentity((proof) =>
    callOnce<T>(path, proof === null ? options : { ...options, body: { ...options.body, ...proof } }),
  );
}

async function callOnce<T>(path: Path, options: Options): Promise<T> {
  const { method = 'GET', body, signal, idempotencyKey, outlivesPage: keepalive = false } = options;
  const headers = callHeaders(idempotencyKey);
  headers.set('content-type', 'application/json');
  let response: Response;
  try {
    // A JSON parser rejects an empty body, so a change without a body sends an empty object.
    const content = body === undefined && method === 'GET' ? null : JSON.stringify(body ?? {});
    const call = { method, headers, body: content, keepalive };
    response = await fetch(path, signal === undefined ? call : { ...call, signal });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(0, errorMessage(error));
  }
  const answer: unknown = await response.json().catch((error) => {
    if (isAbort(error)) throw error;
    return null;
  });
  if (!response.ok) throw refusal(errorFromAnswer(response.status, answer, response.headers.get('retry-after')));
  return requireData<T>(response.status, answer);
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/**
 * Returns the body of a success. Only a 204 has none. Anything else that is not JSON, such as a proxy's page or a broken
 * answer, does not say whether the call succeeded.
 * @throws {ApiError} with status 0.
 */
function requireData<T>(status: number, data: unknown): T {
  if (data === null && status !== 204) throw new ApiError(0, NO_ANSWER);
  return data as T;
}

/** Opens the event stream after the event `lastId`. Resolves with every response, including errors. */
export function openEvents(path: Path, lastId: string | undefined, signal: AbortSignal): Promise<Response> {
  const headers = callHeaders();
  headers.set('accept', 'text/event-stream');
  if (lastId !== undefined) headers.set('last-event-id', lastId);
  return fetch(path, { headers, signal, cache: 'no-store' });
}

export interface Upload {
  idempotencyKey: string;
  signal: AbortSignal;
  /** Gets 0 to 1. At 1 everything was sent and the response is pending. */
  onProgress: (share: number) => void;
}

/** Sends a form, like `apiBrowser` sends JSON, and reports progress, which XMLHttpRequest can do and fetch cannot. */
export function uploadForm<T>(path: Path, form: FormData, { idempotencyKey, signal, onProgress }: Upload): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.responseType = 'json';
    for (const [name, value] of callHeaders(idempotencyKey)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) {
        try {
          resolve(requireData<T>(request.status, request.response));
        } catch (error) {
          reject(error);
        }
      } else reject(refusal(errorFromAnswer(request.status, request.response, request.getResponseHeader('retry-after'))));
    });
    request.addEventListener('error', () => reject(new ApiError(0, NO_ANSWER)));
    request.addEventListener('abort', () => reject(new DOMException('Cancelled', 'AbortError')));
    if (signal.aborted) return reject(new DOMException('Cancelled', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

function callHeaders(idempotencyKey?: string): Headers {
  const headers = new Headers({ accept: 'application/json' });
  if (reader !== null) headers.set('x-reader', String(reader));
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  const visit = visitId();
  if (visit !== '') headers.set('x-visit-id', visit);
  return headers;
}

/** The person that this document was rendered for. */
let reader: number | null = null;

/**
 * Sets the person that this document was rendered for. Every call names them, so that the session of someone who signed in
 * later does not answer. A document belongs to one person: for another one, the whole document is replaced.
 */
export function nameReader(userId: number): void {
  reader ??= userId;
  if (reader === userId) beginVisit(userId);
  else leave();
}

function leave(): void {
  resetAnalytics();
  location.assign('/');
}

/**
 * Ends the session. next-auth's browser code is loaded only here, because most visits do not need it.
 * @param path the page to go to afterward.
 * @throws {Error} when the session did not end: there was no answer, or next-auth rejected its token and answered with its own
 * page.
 */
export async function endSession(path: string): Promise<void> {
  const { signOut } = await import('next-auth/react');
  const { url } = await withCsrfToken(() => signOut({ callbackUrl: path, redirect: false }));
  const [actual, expected] = [url, path].map((address) => new URL(address, location.href).pathname);
  if (actual !== expected) throw new Error('The session has not ended.');
}

let ending = false;

/**
 * On a 401 that ends the session, resets analytics and signs the person out (WEB-9). Their drafts stay for when they return. If
 * the session belongs to someone else by now, loads the page of that person.
 */
function refusal(error: ApiError): ApiError {
  if (error.code === 'other_reader') leave();
  if (endsSession(error) && !ending) {
    ending = true;
    resetAnalytics();
    const path = `/login?session=ended&callbackUrl=${encodeURIComponent(location.pathname + location.search)}`;
    endSession(path).then(
      () => location.assign(path),
      () => {
        ending = false;
      },
    );
  }
  return error;
}
