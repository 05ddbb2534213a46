import { createHash, randomBytes } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** A reset is asked for by whoever forgot the password; an invitation sets it for the first time. */
export type ResetPurpose = 'reset' | 'invitation';

/** 30 minutes (PASSWORD-5); an invitation works over a weekend (INVITE-2). */
const LIFETIME_MS: Record<ResetPurpose, number> = { reset: 30 * 60_000, invitation: 7 * 24 * 3_600_000 };

/** Makes a single-use token that sets a password: 256 random bits, of which only the hash is kept. */
export async function issueResetToken(
  tx: Executor,
  { user_id, purpose, now }: { user_id: number; purpose: ResetPurpose; now: Date },
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

/** Ends every link of an account that could still set its password. */
export async function endResetTokens(tx: Executor, userId: number, now: Date): Promise<void> {
  await query(tx, sql`update password_reset set used_at = ${now} where user_id = ${userId} and used_at is null`);
}

/** What is stored of a token. */
export function hashResetToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
