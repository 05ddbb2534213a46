import { isTemporary } from '@case-platform/words/retry-after';
import type { AuthReply } from './api-auth.ts';
import type { SignInProblem } from './sign-in-errors.ts';

/** A rejection by the API (api-auth.ts), with the API's own `code`. */
export interface Refusal {
  status: number;
  code: string | undefined;
  /** Seconds. */
  retryAfter: number | null;
}

/** Returns the problem that a person reads after the API rejected their password. */
export function passwordProblem(refusal: Refusal): SignInProblem {
  if (refusal.code === 'unfamiliar_address') return { code: 'unfamiliar' };
  return temporaryProblem(refusal) ?? { code: refusal.status === 401 || refusal.status === 403 ? 'wrong' : 'invalid' };
}

/** The same for a code. After `wrong_code` the person can enter another one; any other 401 means that the challenge has ended. */
export function codeProblem(refusal: Refusal): SignInProblem {
  if (refusal.status === 401 && refusal.code !== 'wrong_code') return { code: 'challenge_over' };
  return temporaryProblem(refusal) ?? { code: 'wrong_code' };
}

/** The same for a request for another code. */
function resendProblem(refusal: Refusal): SignInProblem {
  return temporaryProblem(refusal) ?? { code: 'challenge_over' };
}

/** The answer of `POST /api/auth/code` to the browser. A null `problem` means that another code was sent. */
interface ResendAnswer {
  status: number;
  problem: SignInProblem | null;
  /** True if the person has to start over with their password. */
  endsChallenge: boolean;
}

export function resendAnswer(reply: AuthReply<unknown>): ResendAnswer {
  if (reply.kind === 'ok') return { status: 202, problem: null, endsChallenge: false };
  const problem: SignInProblem = reply.kind === 'unavailable' ? { code: 'unavailable' } : resendProblem(reply);
  if (problem.code === 'throttled') return { status: 429, problem, endsChallenge: false };
  if (problem.code === 'unavailable') return { status: 503, problem, endsChallenge: false };
  return { status: 409, problem, endsChallenge: true };
}

/** Returns the problem for a rejection that does not depend on what was entered, or null. */
function temporaryProblem({ status, retryAfter }: Refusal): SignInProblem | null {
  if (status === 429) return { code: 'throttled', seconds: retryAfter ?? 60 };
  return isTemporary(status) ? { code: 'unavailable' } : null;
}
