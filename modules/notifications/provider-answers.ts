import { RetryLaterError } from '@case-platform/lib/jobs';
import { parseRetryAfter } from '@case-platform/words/retry-after';

/** The longest wait that a provider can impose on us (EMAIL-11, PUSH-7). */
const LONGEST_WAIT_S = 3600;

/**
 * The error for an answer that may be another one next time. The next try waits as long as the provider's `Retry-After` says, in
 * seconds or as a date, but at most an hour.
 */
export function temporaryFailure(message: string, retryAfter: string | null | undefined): Error {
  const seconds = parseRetryAfter(retryAfter, Date.now());
  return seconds === null ? new Error(message) : new RetryLaterError(message, Math.min(seconds, LONGEST_WAIT_S));
}

/** An address below a provider's base address, whose own path is kept: many stand behind a gateway. */
export function below(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${path}`;
}

/**
 * What a provider has answered, as staff read it: who, where, and the status or what came instead. Never what was sent or
 * answered, which may hold a secret; of the address the host alone.
 */
export function answerWords(provider: string, address: string, answer: unknown): string {
  const host = URL.canParse(address) ? new URL(address).host : '';
  const isWord = typeof answer === 'number' || (typeof answer === 'string' && /^[A-Z_]{1,40}$/.test(answer));
  return `${provider}${host === '' ? '' : ` at ${host}`} answered ${isWord ? answer : 'nothing'}.`;
}
