/** Where mails lead: the applications' addresses, and the API's, which links without a session go to. */
export interface MailAddresses {
  webUrl: string;
  apiUrl: string;
}

interface Headed {
  delivery_id: number;
  /** What the mail is about, where more of the same may come: mails about one thing are one thread. */
  thread?: string | undefined;
}

/**
 * The headers of a mail besides its sender, recipient and subject. Every value is made of ids, addresses of ours and
 * signatures, so that none can hold a line break; a name or a subject has no place here.
 * - `Message-ID` is the delivery's: a mail that a provider took twice is one to the mailbox (RFC 5322, 3.6.4).
 * - `In-Reply-To` and `References` name a mail that was never sent: the thread's own, the same in each of its mails, also
 *   where a provider puts a `Message-ID` of its own.
 * - `Auto-Submitted` keeps machines from answering (RFC 3834, 5); Exchange listens to `X-Auto-Response-Suppress`.
 * - `List-Unsubscribe` with one click (RFC 8058) where the kind of mail may be switched off.
 */
export function mailHeaders(
  { delivery_id, thread }: Headed,
  { webUrl, unsubscribeUrl }: { webUrl: string; unsubscribeUrl: string | null },
): Record<string, string> {
  const { hostname } = new URL(webUrl);
  const root = thread === undefined ? undefined : `<${thread}@${hostname}>`;
  return {
    'Message-ID': `<delivery-${delivery_id}@${hostname}>`,
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'OOF, AutoReply',
    ...(root === undefined ? {} : { 'In-Reply-To': root, References: root }),
    ...(unsubscribeUrl === null
      ? {}
      : { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  };
}
