import { brand } from '@case-platform/lib/brand';
import type { Transaction } from '@case-platform/lib/database';
import { TooManyRequestsError } from '@case-platform/lib/errors';
import { queueEmail, queueSms } from '@case-platform/modules/notifications';
import type { User } from '../users.ts';

export interface SentCode {
  challenge_id: string;
  user: Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'> & { phone: string | null };
  method: 'email' | 'sms';
  code: string;
  /** Increases with every code of the challenge. */
  sequence: number;
}

/**
 * Sends a two-factor code by email or text message (TWO-FACTOR-2).
 * @throws {TooManyRequestsError} for a number that no account has confirmed and that was texted too often today (SMS-3).
 */
export async function sendCode(tx: Transaction, sent: SentCode, now: Date): Promise<void> {
  const { user, code, challenge_id, sequence } = sent;
  const key = `code:${challenge_id}:${sequence}`;
  if (sent.method === 'sms') {
    const text = `${code} is your ${brand().name} code. It works for 10 minutes. Never share it.`;
    const freeAt = await queueSms(tx, { key, event: 'two_factor_code', to: user, phone: user.phone ?? '', text });
    if (freeAt === null) return;
    throw new TooManyRequestsError(
      (freeAt.getTime() - now.getTime()) / 1000,
      'This number got too many texts today. Try again tomorrow.',
    );
  }
  await queueEmail(tx, {
    key,
    event: 'two_factor_code',
    to: user,
    subject: 'Your sign-in code',
    template_name: 'login_code.html',
    template_context: { first_name: user.first_name, code },
  });
}
