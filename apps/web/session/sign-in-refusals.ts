import { isTemporary } from '@case-platform/words/retry-after';
import type { AuthReply } from './api-auth.ts';
import type { SignInProblem } from './sign-in-errors.ts';

/** A refusal of the API (api-auth.ts); `code` is the API's word for it. */
export interface Refusal {
  status: number;
  code: string | undefined;
  /** Seconds. */
  retryAfter: number | null;
}

/** The problem that a person reads after the API refused their password. */
export function passwordProblem(refusal: Refusal): SignInProblem {
  if (refusal.code === 'unfamiliar_address') return { code: 'unfamiliar' };
  return temporaryProblem(refusal) ?? { code: refusal.status === 401 || refusal.status === 403 ? 'wrong' : 'invalid' };
}

/**
 * The same for a code. The API calls a code that may be entered again `wrong_code`; after any other 401 none can end this
 * sign-in.
 */
export function codeProblem(refusal: Refusal): SignInProblem {
  if (refusal.status === 401 && refusal.code !== 'wrong_code') return { code: 'challenge_over' };
  return temporaryProblem(refusal) ?? { code: 'wrong_code' };
}

/** The same for another code by email or text message. */
function resendProblem(refusal: Refusal): SignInProblem {
  return temporaryProblem(refusal) ?? { code: 'challenge_over' };
}

/** How `POST /api/auth/code` answers the browser; a null `problem` means that another code was sent. */
interface ResendAnswer {
  status: number;
  problem: SignInProblem | null;
  /** Whether this sign-in has to begin again. */
  endsChallenge: boolean;
}

/** The answer to a request for another code, by the API's reply. */
export function resendAnswer(reply: AuthReply<unknown>): ResendAnswer {
  if (reply.kind === 'ok') return { status: 202, problem: null, endsChallenge: false };
  const problem: SignInProblem = reply.kind === 'unavailable' ? { code: 'unavailable' } : resendProblem(reply);
  if (problem.code === 'throttled') return { status: 429, problem, endsChallenge: false };
  if (problem.code === 'unavailable') return { status: 503, problem, endsChallenge: false };
  return { status: 409, problem, endsChallenge: true };
}

/** A sign-in survives a refusal that has nothing to do with what was entered. */
function temporaryProblem({ status, retryAfter }: Refusal): SignInProblem | null {
  if (status === 429) return { code: 'throttled', seconds: retryAfter ?? 60 };
  return isTemporary(status) ? { code: 'unavailable' } : null;
}
