import { ForbiddenError, invalid } from '@case-platform/lib/errors';
import type { User } from '../users.ts';
import { type ChallengeContext, type CodeAnswer, passOwnCode } from './challenges.ts';
import { confirmPassword } from './sign-in.ts';
import { findProvingMethod, findTwoFactorMethod } from './two-factor.ts';

/** What somebody who is signed in proves with that it is still they: one of the three, or nothing. */
export interface IdentityProof {
  pass_hash?: string | undefined;
  code?: string | undefined;
  backup_code?: string | undefined;
}

/** How long after a sign-in or a proof no new proof is required (IDENTITY-1). */
const FRESH_MS = 10 * 60_000;

/** Whether it was proven less than ten minutes ago who this is. */
export function isFresh(provenAt: Date | null, now: Date): boolean {
  return provenAt !== null && now.getTime() - provenAt.getTime() < FRESH_MS;
}

/**
 * Makes sure that it is still the owner of the account who asks, before something that protects the account or the money is
 * changed: a session that was left open or stolen is not enough (IDENTITY-1). What is given is always looked at,
 * and counted as tries of passwords and codes are.
 * A code of a method that was turned on after the sign-in proves nothing for it.
 * @param when when the token or session was signed in, and when it was last proven who this is, where that was later.
 * @throws {ForbiddenError} `confirm_identity` when nothing is given, and the last proof is ten minutes old.
 * @throws {UnauthenticatedError} `wrong_password`, `wrong_code` or `challenge_ended`.
 * @throws {InvalidInputError} for a code where two-factor is off, or was off at the sign-in.
 */
export async function confirmIdentity(
  context: ChallengeContext,
  user: User,
  proof: IdentityProof,
  { signedInAt, provenAt = signedInAt, now }: { signedInAt: Date; provenAt?: Date | null; now: Date },
): Promise<void> {
  const { pass_hash, code, backup_code } = proof;
  if (pass_hash !== undefined) return confirmPassword(context, user, pass_hash);
  const answer: CodeAnswer | null = code !== undefined ? { code } : backup_code !== undefined ? { backup_code } : null;
  if (answer === null) {
    if (isFresh(provenAt, now)) return;
    throw new ForbiddenError('Confirm it’s you: enter your password or a code.', 'confirm_identity');
  }
  const method = await findProvingMethod(context.db, user, signedInAt);
  if (method === null) {
    const isOn = (await findTwoFactorMethod(context.db, user)) !== null;
    const state = isOn ? 'was turned on after you signed in here' : 'is off';
    throw invalid(code === undefined ? 'backup_code' : 'code', `Two-factor sign-in ${state}. Enter your password.`);
  }
  await passOwnCode(context, user, { method, answer, now });
}
