import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '../users.ts';
import type { TwoFactorMethod } from './challenges.ts';
import { ATTEMPTS, type ChallengeContext, type ChallengePurpose } from './challenges.ts';
import { otpauthUrl } from './totp.ts';
import { openTotpSecret } from './totp-secret.ts';

/** A challenge that waits for its code, with its method and the address or number. */
export interface PendingChallenge {
  method: TwoFactorMethod;
  email_address: string;
  phone: string | null;
}

const isPending = (now: Date) => sql`c.used_at is null and c.expires_at > ${now} and c.attempts < ${ATTEMPTS}`;

/** The challenge with this id, or null if it is unknown, for another purpose, or over. */
export async function findPendingChallenge(
  db: Executor,
  { id, purpose }: { id: string; purpose: ChallengePurpose },
  now: Date,
): Promise<PendingChallenge | null> {
  const [challenge] = await query<PendingChallenge>(
    db,
    sql`select c.method, u.email_address, u.phone
          from tfa_challenge c join user_account u on u.id = c.user_id and u.status = 'active'
         where c.id = ${id} and c.purpose = ${purpose} and ${isPending(now)}`,
  );
  return challenge ?? null;
}

/** A change of two-factor that waits for its code; `setup` is the seed of an app that is being set up, otherwise null. */
export interface PendingTwoFactor {
  method: TwoFactorMethod;
  setup: { secret: string; otpauth_url: string } | null;
}

/** The most recent change of two-factor that waits for its code, so that a page can show it again. */
export async function findPendingTwoFactor(
  { db, encryptionKey }: Pick<ChallengeContext, 'db' | 'encryptionKey'>,
  user: Pick<User, 'id' | 'email_address'>,
  now: Date,
): Promise<PendingTwoFactor | null> {
  const [challenge] = await query<{ method: TwoFactorMethod; new_secret: Buffer | null; pending: boolean }>(
    db,
    sql`select c.method, c.new_secret, (${isPending(now)}) as pending
          from tfa_challenge c where c.user_id = ${user.id} and c.purpose = 'change'
         order by c.created_at desc limit 1`,
  );
  if (challenge === undefined || !challenge.pending) return null;
  if (challenge.new_secret === null) return { method: challenge.method, setup: null };
  const secret = openTotpSecret(encryptionKey, user.id, challenge.new_secret);
  return { method: challenge.method, setup: { secret, otpauth_url: otpauthUrl(secret, user.email_address) } };
}
