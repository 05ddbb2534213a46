import 'client-only';
import { beginVisit, resetAnalytics, visitId } from './analytics.ts';
import { ApiError, endsSession, errorFromAnswer, errorMessage, NO_ANSWER } from './api-error.ts';
import { withIdentity } from './confirm-identity.ts';
import { withCsrfToken } from './with-csrf-token.ts';

type Path = `/api/${string}`;

interface Options {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: FormData | object;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/**
 * Calls the API from the browser by a relative path; the session cookie is all it needs. JSON unless the body is a form,
 * whose type and boundary the browser writes itself.
 * @throws {ApiError} with the API's `message`, or the network error's.
 */
export function apiBrowser<T>(path: Path, options: Options = {}): Promise<T> {
  const { body } = options;
  if (body instanceof FormData) return callOnce<T>(path, options);
  // A change that protects the account may be asked for again, with the password or a code in it.
  return withIdentity((proof) =>
    callOnce<T>(path, proof === null ? options : { ...options, body: { ...body, ...proof } }),
  );
}

async function callOnce<T>(path: Path, { method = 'GET', body, signal, idempotencyKey }: Options): Promise<T> {
  const isForm = body instanceof FormData;
  const headers = callHeaders(idempotencyKey);
  if (!isForm) headers.set('content-type', 'application/json');
  let response: Response;
  try {
    // JSON that changes something is never an empty body, which no parser takes.
    const content = isForm ? body : body === undefined && method === 'GET' ? null : JSON.stringify(body ?? {});
    response = await fetch(path, { method, headers, body: content, ...(signal === undefined ? {} : { signal }) });
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
 * What a success says. Only a 204 says nothing: a page of something between us and the API, or an answer that broke off, leaves open
 * what became of the call.
 * @throws {ApiError} with status 0.
 */
function requireData<T>(status: number, data: unknown): T {
  if (data === null && status !== 204) throw new ApiError(0, NO_ANSWER);
  return data as T;
}

/**
 * Opens a stream of events from after the event with this id, and after what the page shows that was rendered as of a snapshot.
 * The answer is returned whatever it is.
 */
export function openEvents(
  path: Path,
  { lastId, rendered }: { lastId: string | undefined; rendered: string | undefined },
  signal: AbortSignal,
): Promise<Response> {
  const headers = callHeaders();
  headers.set('accept', 'text/event-stream');
  if (lastId !== undefined) headers.set('last-event-id', lastId);
  if (rendered !== undefined) headers.set('x-rendered', rendered);
  return fetch(path, { headers, signal, cache: 'no-store' });
}

interface Upload {
  idempotencyKey: string;
  signal: AbortSignal;
  /** From 0 to 1; 1 means that everything has left and the answer is awaited. */
  onProgress: (share: number) => void;
}

/** Sends a form and tells how much of it has left: fetch cannot do that, XMLHttpRequest can. Same rules as `apiBrowser`. */
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
      } else
        reject(refusal(errorFromAnswer(request.status, request.response, request.getResponseHeader('retry-after'))));
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

/** The person whom this document was made for. */
let reader: number | null = null;

/**
 * Names in every call whom the page was made for, so that none is answered by the session of whoever has signed in since. Once
 * a document: what it shows, keeps and still has to send is this person's, and the next one is given a document of their own.
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
 * Ends the session; the page to go to then is `path`. next-auth's browser part is fetched only now: most visits never need it.
 * @throws {Error} when the session goes on: no answer, or next-auth's own page instead of `path`, because its token was refused.
 */
export async function endSession(path: string): Promise<void> {
  const { signOut } = await import('next-auth/react');
  const { url } = await withCsrfToken(() => signOut({ callbackUrl: path, redirect: false }));
  const [given, asked] = [url, path].map((address) => new URL(address, location.href).pathname);
  if (given !== asked) throw new Error('The session has not ended.');
}

let ending = false;

/**
 * On a 401 that ends the session: analytics state is reset and the person is signed out (WEB-9). Drafts
 * stay: they belong to the person, who will be back. When it is another person's session, the page is left for theirs.
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
