import { serverEnvironment } from './server-environment.ts';

interface AskOptions {
  withinMs: number;
  /** Whether it may reach the API twice: a code works once, for example. */
  repeats: boolean;
}

/**
 * Calls the API from the server, once more if the connection goes before an answer: one that was kept open ends with the
 * API's process.
 * @throws {Error} where there is no answer. @throws {DOMException} `TimeoutError` where there is none in time.
 */
export async function askApi(path: string, init: RequestInit, { withinMs, repeats }: AskOptions): Promise<Response> {
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
