import { accountProblem } from './account-words.ts';
import { ApiError } from './api-error.ts';

/** Proves that the person who signed in is still there. */
export type IdentityProof = { pass_hash: string } | { code: string } | { backup_code: string };

/** Asks the person for a proof, and says what was wrong with the previous one. Null if they cancel. */
export type AskIdentity = (problem: string | null) => Promise<IdentityProof | null>;

let dialog: AskIdentity | null = null;

/** Sets the dialog that asks for a proof. Returns a function that removes it. */
export function offerIdentityDialog(ask: AskIdentity): () => void {
  dialog = ask;
  return () => {
    if (dialog === ask) dialog = null;
  };
}

/** Codes that reject a proof, after which the person can try again. */
const WRONG = new Set(['wrong_password', 'wrong_code', 'challenge_ended']);
const PROOFS = ['pass_hash', 'code', 'backup_code'];

/**
 * Makes a call. If the API requires a proof (403 `confirm_identity`, IDENTITY-1), asks the person and repeats the call with it.
 * If the person cancels, throws the API's error, and nothing has changed.
 */
export async function withIdentity<T>(call: (proof: IdentityProof | null) => Promise<T>): Promise<T> {
  let required: ApiError;
  try {
    return await call(null);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirm_identity') throw error;
    required = error;
  }
  for (let problem: string | null = null; ; ) {
    const proof = (await dialog?.(problem)) ?? null;
    if (proof === null) throw required;
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
