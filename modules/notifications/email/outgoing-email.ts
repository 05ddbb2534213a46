export interface OutgoingEmail {
  to: string;
  subject: string;
  html: string;
  text: string;
  /** Headers besides those that the fields above make (mail-headers.ts). */
  headers?: Readonly<Record<string, string>>;
  /** What the provider's reports about it are found by. */
  delivery_id?: number;
  /** The same mail as the provider keeps it: used where the provider has it, else `html` and `text` are. */
  template?: { id: string; data: Record<string, unknown> } | undefined;
}

/** Somewhere that takes an email. Throws `PermanentFailure` for what will never work, anything else may be tried again. */
export interface EmailProvider {
  name: 'mailpit' | 'sendgrid';
  /** @returns the provider's own id of the mail. */
  send(email: OutgoingEmail): Promise<string>;
}

/** A delivery that is pointless to repeat. */
export class PermanentFailure extends Error {
  override name = 'PermanentFailure';
}

/** `Name <address>` or a bare address. */
export function parseSender(from: string): { Email: string; Name: string } {
  const found = /^(.*)<([^>]+)>\s*$/.exec(from);
  return found === null ? { Email: from.trim(), Name: '' } : { Email: found[2] ?? '', Name: (found[1] ?? '').trim() };
}
