import { brand } from '@case-platform/lib/brand';
import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;

/** RFC 6238 with the parameters that every authenticator app supports. */
function totp(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: brand().name, label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret });
}

/** A new base32 seed of 160 bits (RFC 4226, section 4, R6). */
export function makeTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The address in the QR code that authenticator apps scan. */
export function otpauthUrl(secret: string, label: string): string {
  return totp(secret, label).toString();
}

/** The time step of a code, at most one step from now, or null for a wrong code (TWO-FACTOR-5). */
export function findTotpStep(secret: string, code: string, now: Date): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totp(secret).validate({ token: code, timestamp: now.getTime(), window: 1 });
  return delta === null ? null : Math.floor(now.getTime() / 1000 / PERIOD_SECONDS) + delta;
}
