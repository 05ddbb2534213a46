import { createPublicKey, verify } from 'node:crypto';

/** Older reports are refused: whoever has recorded one cannot use it for long. */
const REPLAY_WITHIN_MS = 10 * 60_000;

export interface SignedReport {
  signature: string;
  /** Seconds since 1970, as text. */
  timestamp: string;
  body: Buffer;
}

/** Whether SendGrid has signed this: ECDSA on P-256 over the time and the body as it came (Event Webhook security). */
export function isSignedBySendGrid(
  publicKey: string,
  { signature, timestamp, body }: SignedReport,
  now: Date,
): boolean {
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

/** Whether Twilio has signed this: HMAC-SHA1 over the address that it called and the form's fields, by its own SDK. */
export async function isSignedByTwilio(
  authToken: string,
  { signature, url, form }: { signature: string; url: string; form: Record<string, string> },
): Promise<boolean> {
  // Loaded with the first report: the SDK is large, and whoever gets no reports does without it.
  const { default: twilio } = await import('twilio');
  return twilio.validateRequest(authToken, signature, url, form);
}
