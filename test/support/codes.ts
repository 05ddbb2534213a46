import { Secret, TOTP } from 'otpauth';
import type { TestApi } from './platform.ts';

/** The demo's TOTP seed (decisions, section 2). */
export const DEMO_TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** What an authenticator app shows at a time. */
export function totpAt(time: number, secret = DEMO_TOTP_SECRET): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: time });
}

/** Works off the queue and reads the newest code that was sent by a channel. */
export async function lastCode(api: TestApi, channel: 'email' | 'sms'): Promise<string> {
  await api.work();
  const { rows } = await api.pool.query<{ text: string }>(
    "select content->>'text' as text from delivery where channel = $1 and event = 'two_factor_code' order by id desc limit 1",
    [channel],
  );
  const code = /\b\d{6}\b/.exec(rows[0]?.text ?? '')?.[0];
  if (code === undefined) throw new Error(`no code was sent by ${channel}`);
  return code;
}
