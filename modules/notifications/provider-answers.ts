import { RetryLaterError } from '@case-platform/lib/jobs';
import { parseRetryAfter } from '@case-platform/words/retry-after';

/** The longest wait that a provider can impose on us (EMAIL-11, PUSH-7). */
const LONGEST_WAIT_S = 3600;

/**
 * The error for an answer that may be different next time. The next attempt waits as long as `Retry-After` says, in seconds or as
 * a date, up to an hour.
 */
export function temporaryFailure(message: string, retryAfter: string | null | undefined): Error {
  const seconds = parseRetryAfter(retryAfter, Date.now());
  return seconds === null ? new Error(message) : new RetryLaterError(message, Math.min(seconds, LONGEST_WAIT_S));
}

/** Adds a path to a provider's base address and keeps the base address's own path, which gateways need. */
export function below(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${path}`;
}

/**
 * Describes a provider's answer for staff: the provider, its host, and the status or error code. It leaves out the rest of the
 * address, the request, and the answer's body, which may contain secrets.
 */
export function answerWords(provider: string, address: string, answer: unknown): string {
  const host = URL.canParse(address) ? new URL(address).host : '';
  const isWord = typeof answer === 'number' || (typeof answer === 'string' && /^[A-Z_]{1,40}$/.test(answer));
  return `${provider}${host === '' ? '' : ` at ${host}`} answered ${isWord ? answer : 'nothing'}.`;
}
