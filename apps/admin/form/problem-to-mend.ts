import { ConflictError, ForbiddenError, NotFoundError, TooManyRequestsError } from '@case-platform/lib/errors';
import { asDomainError } from '@case-platform/lib/http-server';
import type { UploadedFiles } from './read-form.ts';

/** What a person can do something about: their form is shown again, with these words over it. */
export interface ProblemToMend {
  status: number;
  words: string;
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
}

/** Turns a failure into words over the form; what nobody can mend there is thrown on to the error page. */
export function problemToMend(error: unknown, { files, problem }: UploadedFiles): ProblemToMend {
  const known = asDomainError(error);
  if (known === undefined || known instanceof NotFoundError || known instanceof ForbiddenError) throw error;
  const lost = files.length > 0 || problem !== undefined ? ' Choose the files once more: browsers forget them.' : '';
  const words = `${known.message}${lost}`;
  const { status } = known;
  return known instanceof TooManyRequestsError ? { status, words, retryAfter: known.retryAfter } : { status, words };
}

/** Whether the first click of two is still at work: the second has nothing to do. */
export function isInFlight(error: unknown): boolean {
  return error instanceof ConflictError && error.code === 'idempotency_key_in_flight';
}
