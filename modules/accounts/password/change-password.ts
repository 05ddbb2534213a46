import { recordAudit } from '@case-platform/lib/audit';
import { query, sql } from '@case-platform/lib/sql';
import { announcePasswordChange } from '../mails/account-mails.ts';
import type { ChallengeContext } from '../sign-in/challenges.ts';
import { confirmIdentity, type IdentityProof } from '../sign-in/confirm-identity.ts';
import { type ChangedByUser, displayName } from '../users.ts';
import { requireAllowedPassword } from './password-policy.ts';
import { setPassword } from './password-reset.ts';
import { hashPassword } from './passwords.ts';

/**
 * Changes a signed-in user's password and ends their other staff sessions. Issued tokens stay valid until they expire (TOKEN-7).
 * @throws {UnauthenticatedError} if the current password, or the code given instead, is wrong.
 * @throws {ForbiddenError} `confirm_identity` if neither is given. @throws {InvalidInputError} for a new password that is not
 * allowed.
 */
export async function changePassword(
  context: ChallengeContext,
  change: {
    proof: IdentityProof;
    signedInAt: Date;
    next: string;
    keepSession?: string;
  },
  by: ChangedByUser,
  now: Date,
): Promise<void> {
  const { db } = context;
  const { actor: user } = by;
  // A recent sign-in is not enough here, because a new password locks out the owner (IDENTITY-2).
  await confirmIdentity(context, user, change.proof, { signedInAt: change.signedInAt, provenAt: null }, now);
  const [account] = await query<{ email_address: string; phone: string | null; two_factor_method: string | null }>(
    db,
    sql`select email_address, phone, two_factor_method from user_account where id = ${user.id}`,
  );
  if (account !== undefined) await requireAllowedPassword(change.next, { ...user, ...account }, 'new_pass_hash');
  const passwordHash = await hashPassword(change.next);
  await db.transaction(async (tx) => {
    await setPassword(tx, user, { password: change.next, passwordHash, keepSession: change.keepSession }, now);
    await recordAudit(tx, {
      ...by,
      action: 'user.change_password',
      subject_id: user.id,
      subject_label: displayName(user),
    });
    await announcePasswordChange(tx, user, now);
  });
}
