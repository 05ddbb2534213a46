import 'client-only';
import { uploadForm } from '../../api/api-browser.ts';
import { ApiError } from '../../api/api-error.ts';

/** The wait before a request is sent again while an earlier attempt with its key is in flight. */
const AGAIN_MS = 2000;

/**
 * Sends a message's form. While an earlier attempt with its key is in flight, perhaps from a closed page or another tab, it
 * repeats the request until it gets that attempt's answer (IDEMPOTENCY-2).
 * @throws {ApiError} @throws {DOMException} `AbortError` after a cancellation.
 */
export async function sendForm<T>(...[path, form, options]: Parameters<typeof uploadForm>): Promise<T> {
  for (;;) {
    try {
      return await uploadForm<T>(path, form, options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'idempotency_key_in_flight') throw error;
      await pause(options.signal);
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, AGAIN_MS);
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException('Cancelled', 'AbortError'));
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}
