import {
  ConflictError,
  InvalidInputError,
  TooManyRequestsError,
  UnauthenticatedError,
} from '@case-platform/lib/errors';
import { waitWords } from '@case-platform/words/times';
import type { FastifyReply } from 'fastify';

/** Why a form was not accepted, in words that stand over it when it is shown again. */
export interface Refusal {
  status: number;
  words: string;
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
}

/** Turns a refusal of the modules into words; everything else is thrown on to the error page. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof TooManyRequestsError) {
    const { status, retryAfter, message, code } = error;
    if (code === 'unfamiliar_address') return { status, retryAfter, words: message };
    const [what = ''] = message.split(/(?<=\.)\s/);
    return { status, retryAfter, words: `${what} Wait ${waitWords(retryAfter)} and try again.` };
  }
  const known = [UnauthenticatedError, InvalidInputError, ConflictError].some((kind) => error instanceof kind);
  if (!known) throw error;
  const { status, message } = error as UnauthenticatedError | InvalidInputError | ConflictError;
  return { status, words: message };
}

/** The same for someone who is signed in already: a wrong code or password there is a wrong field, not a lost session. */
export function refusalWhileSignedIn(error: unknown): Refusal {
  const refusal = refusalOf(error);
  return refusal.status === 401 ? { ...refusal, status: 422 } : refusal;
}

/** Gives the answer the status of a refusal. */
export function markRefused(reply: FastifyReply, { status, retryAfter }: Refusal): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  return reply.code(status);
}
