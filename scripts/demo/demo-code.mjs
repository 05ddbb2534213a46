import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';

/** The secret of the demo's authenticator app (DEMO-1). */
export const DEMO_TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The code that the demo's app shows at a time (RFC 6238: SHA-1, six digits, 30 seconds). It uses no packages, because it also
 * runs before they are installed.
 * @param {number} at milliseconds
 */
export function demoCode(at = Date.now()) {
  const bits = [...DEMO_TOTP_SECRET].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const hash = createHmac('sha1', key).update(step).digest();
  const code = (hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff) % 1_000_000;
  return String(code).padStart(6, '0');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(`${demoCode()}\n`);
