import { createPublicKey, verify } from 'node:crypto';

/** Rejects older reports, so that a recorded one cannot be used for long (NOTIFY-10). */
const REPLAY_WITHIN_MS = 10 * 60_000;

export interface SignedReport {
  signature: string;
  /** Seconds since 1970, as text. */
  timestamp: string;
  body: Buffer;
}

/** Verifies SendGrid's signature: ECDSA on P-256 over the time and the raw body (Event Webhook security). */
export function isSignedBySendGrid(publicKey: string, { signature, timestamp, body }: SignedReport, now: Date): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > REPLAY_WITHIN_MS) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    return key.asymmetricKeyType === 'ec' && verify('sha256', signed, key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** Verifies Twilio's signature with its SDK: HMAC-SHA1 over the address that it called and the fields of the form. */
export async function isSignedByTwilio(
  authToken: string,
  { signature, url, form }: { signature: string; url: string; form: Record<string, string> },
): Promise<boolean> {
  // The SDK is large, so it is loaded with the first report.
  const { default: twilio } = await import('twilio');
  return twilio.validateRequest(authToken, signature, url, form);
}
