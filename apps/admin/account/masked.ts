import { brand } from '@case-platform/lib/brand';
import type { TwoFactorMethod } from '@case-platform/modules/accounts';

/** An address that only its owner can recognize: "e•••@demo.test". */
export function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address][0] ?? ''}•••${at < 0 ? '' : address.slice(at)}`;
}

/** The end of a phone number. */
export function maskedPhone(phone: string | null): string {
  return `•••${(phone ?? '').slice(-2)}`;
}

/** Where to find the code, or where it was sent. */
export function codeWhere(pending: { method: TwoFactorMethod; email_address: string; phone: string | null }): string {
  switch (pending.method) {
    case 'app':
      return `Open your authenticator app and enter the code it shows for ${brand().name}.`;
    case 'email':
      return `We sent a code to ${maskedEmail(pending.email_address)}. It works for 10 minutes.`;
    case 'sms':
      return `We sent a code to your phone, ${maskedPhone(pending.phone)}. It works for 10 minutes.`;
  }
}
