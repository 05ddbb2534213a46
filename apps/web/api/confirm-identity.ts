import { accountProblem } from './account-words.ts';
import { ApiError } from './api-error.ts';

/** What somebody proves with that it is still they. */
export type IdentityProof = { pass_hash: string } | { code: string } | { backup_code: string };

/** Asks for a proof, with what was wrong with the one before; null when the person would rather leave it. */
export type AskIdentity = (problem: string | null) => Promise<IdentityProof | null>;

let dialog: AskIdentity | null = null;

/** Says who asks: the one dialog of the signed-in pages. Returns how to take it back. */
export function offerIdentityDialog(ask: AskIdentity): () => void {
  dialog = ask;
  return () => {
    if (dialog === ask) dialog = null;
  };
}

/** Refusals of what was given as a proof, after which it may be given again. */
const WRONG = new Set(['wrong_password', 'wrong_code', 'challenge_ended']);
const PROOFS = ['pass_hash', 'code', 'backup_code'];

/**
 * Makes a call, and where the API asks first that it is still the same person (403 `confirm_identity`, IDENTITY-1),
 * asks them and makes it again with what they gave. Who leaves it gets the API's refusal: nothing has changed.
 */
export async function withIdentity<T>(call: (proof: IdentityProof | null) => Promise<T>): Promise<T> {
  let asked: ApiError;
  try {
    return await call(null);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirm_identity') throw error;
    asked = error;
  }
  for (let problem: string | null = null; ; ) {
    const proof = (await dialog?.(problem)) ?? null;
    if (proof === null) throw asked;
    try {
      return await call(proof);
    } catch (error) {
      if (!isAboutProof(error)) throw error;
      problem = accountProblem(error);
    }
  }
}

function isAboutProof(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 429 || WRONG.has(error.code ?? '')) return true;
  return Object.keys(error.fields).some((field) => PROOFS.includes(field));
}
