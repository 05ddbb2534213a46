import { createHash, randomBytes } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** A reset replaces a forgotten password; an invitation sets the first one. */
export type ResetPurpose = 'reset' | 'invitation';

/** PASSWORD-5 and INVITE-2 set these times. */
const LIFETIME_MS: Record<ResetPurpose, number> = { reset: 30 * 60_000, invitation: 7 * 24 * 3_600_000 };

/** Creates a single-use token of 256 random bits that sets a password, and stores only its hash. */
export async function issueResetToken(
  tx: Executor,
  { user_id, purpose }: { user_id: number; purpose: ResetPurpose },
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await query(
    tx,
    sql`insert into password_reset (user_id, token_hash, purpose, created_at, expires_at)
        values (${user_id}, ${hashResetToken(token)}, ${purpose}, ${now},
                ${new Date(now.getTime() + LIFETIME_MS[purpose])})`,
  );
  return token;
}

export async function endResetTokens(tx: Executor, userId: number, now: Date): Promise<void> {
  await query(tx, sql`update password_reset set used_at = ${now} where user_id = ${userId} and used_at is null`);
}

/** Only this hash of a token is stored (PASSWORD-9). */
export function hashResetToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
