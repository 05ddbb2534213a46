import { serverEnvironment } from './server-environment.ts';

interface CallOptions {
  withinMs: number;
  /** Whether the call can safely reach the API twice. A one-time code cannot, for example. */
  repeats: boolean;
}

/**
 * Calls the API from the server. Repeats the call once if the connection breaks before the response, because a connection that
 * was kept open breaks when the API's process ends.
 * @throws {Error} without a response, or a {DOMException} `TimeoutError` after `withinMs`.
 */
export async function callApi(path: string, init: RequestInit, { withinMs, repeats }: CallOptions): Promise<Response> {
  const call = () => {
    const signal = init.signal ?? AbortSignal.timeout(withinMs);
    return fetch(serverEnvironment().apiUrl + path, { ...init, signal, cache: 'no-store' });
  };
  try {
    return await call();
  } catch (error) {
    if (!repeats || (error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name))) throw error;
    return call();
  }
}
