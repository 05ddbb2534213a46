import { ForbiddenError, invalid } from '@case-platform/lib/errors';
import type { User } from '../users.ts';
import { type ChallengeContext, type CodeAnswer, passOwnCode } from './challenges.ts';
import { requirePassword } from './sign-in.ts';
import { findProvingMethod, findTwoFactorMethod } from './two-factor.ts';

/** The proof that a signed-in user is still the owner: one of the three, or none. */
export interface IdentityProof {
  pass_hash?: string | undefined;
  code?: string | undefined;
  backup_code?: string | undefined;
}

const FRESH_MS = 10 * 60_000;

/** True if identity was proven less than ten minutes ago (IDENTITY-1). */
export function isRecentProof(provenAt: Date | null, now: Date): boolean {
  return provenAt !== null && now.getTime() - provenAt.getTime() < FRESH_MS;
}

/**
 * Confirms that the caller is still the owner of the account before a change to what protects the account or the money, because a
 * session may have been left open or stolen (IDENTITY-1). A proof that is given is always checked, and wrong ones are counted
 * like failed sign-ins (PASSWORD-8). A code proves nothing if its method was turned on after the sign-in (IDENTITY-4).
 * @param when the time of the sign-in, and of a later proof, if any.
 * @throws {ForbiddenError} `confirm_identity` without a proof, if the last one is ten minutes old.
 * @throws {UnauthenticatedError} `wrong_password`, `wrong_code`, or `challenge_ended`.
 * @throws {InvalidInputError} for a code if two-factor is off, or was off at the sign-in.
 */
export async function confirmIdentity(
  context: ChallengeContext,
  user: User,
  proof: IdentityProof,
  { signedInAt, provenAt = signedInAt }: { signedInAt: Date; provenAt?: Date | null },
  now: Date,
): Promise<void> {
  const { pass_hash, code, backup_code } = proof;
  if (pass_hash !== undefined) return requirePassword(context, user, pass_hash);
  const answer: CodeAnswer | null = code !== undefined ? { code } : backup_code !== undefined ? { backup_code } : null;
  if (answer === null) {
    if (isRecentProof(provenAt, now)) return;
    throw new ForbiddenError('Confirm it’s you: enter your password or a code.', 'confirm_identity');
  }
  const method = await findProvingMethod(context.db, user, signedInAt);
  if (method === null) {
    const isOn = (await findTwoFactorMethod(context.db, user)) !== null;
    const state = isOn ? 'was turned on after you signed in here' : 'is off';
    throw invalid(code === undefined ? 'backup_code' : 'code', `Two-factor sign-in ${state}. Enter your password.`);
  }
  await passOwnCode(context, user, { method, answer }, now);
}
