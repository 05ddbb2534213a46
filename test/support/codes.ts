import type { Transaction } from '@case-platform/lib/database';
import { Secret, TOTP } from 'otpauth';
import type { TestApi } from './platform.ts';

/** The demo's TOTP seed (DEMO-1). */
export const DEMO_TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** The code that an authenticator app shows at this time. */
export function totpAt(time: number, secret = DEMO_TOTP_SECRET): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: time });
}

/** Runs the queue until it is empty, and returns the newest code that was sent by this channel. */
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

/** Returns the first match in the newest queued mail that has one, such as a code or the token of a link. */
async function findInQueuedMail(tx: Transaction, pattern: RegExp): Promise<string> {
  const { rows } = await tx.query({
    text: `select j.payload::text as mail from graphile_worker._private_jobs j
             join graphile_worker._private_tasks t on t.id = j.task_id
            where t.identifier = 'deliver_email' order by j.id desc`,
    values: [],
  });
  for (const { mail } of rows as { mail: string }[]) {
    const match = pattern.exec(mail);
    if (match !== null) return match[1] ?? match[0];
  }
  throw new Error(`no queued mail has ${pattern}`);
}

/** The six digits in the newest queued mail with a sign-in code. */
export const findQueuedCode = (tx: Transaction) => findInQueuedMail(tx, /"code": ?"(\d{6})"/);
/** The token in the newest queued mail with a link. */
export const findQueuedToken = (tx: Transaction) => findInQueuedMail(tx, /#token=([\w-]+)/);
/** The addresses of links in mails in tests. */
export const TEST_URLS = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
