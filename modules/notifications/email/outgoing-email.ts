export interface OutgoingEmail {
  to: string;
  subject: string;
  html: string;
  text: string;
  /** Headers other than those of the fields above (mail-headers.ts). */
  headers?: Readonly<Record<string, string>>;
  /** Sent with the mail, so that the provider's reports name it. */
  delivery_id?: number;
  /**
   * The name of the provider's own template for this mail, which is preferred if the account has it; otherwise `html` and `text`
   * are sent.
   */
  template?: { name: string; data: Record<string, unknown> } | undefined;
}

/** Throws `PermanentFailure` for a mail that can never be sent. Any other error can be retried. */
export interface EmailProvider {
  name: 'mailpit' | 'sendgrid';
  /** @returns the provider's id of the mail. */
  send(email: OutgoingEmail): Promise<string>;
}

/** A failure for which retrying is pointless. */
export class PermanentFailure extends Error {
  override name = 'PermanentFailure';
}

export function parseSender(from: string): { Email: string; Name: string } {
  const match = /^(.*)<([^>]+)>\s*$/.exec(from);
  return match === null ? { Email: from.trim(), Name: '' } : { Email: match[2] ?? '', Name: (match[1] ?? '').trim() };
}
