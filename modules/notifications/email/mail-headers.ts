/** The base addresses of links: the web frontend, and the API for links that need no session. */
export interface MailAddresses {
  webUrl: string;
  apiUrl: string;
}

interface Headed {
  delivery_id: number;
  /** The subject of a thread, such as `chain-12`, if more mails about it may follow (EMAIL-13). */
  thread?: string | undefined;
}

/**
 * The headers of a mail other than sender, recipient, and subject. All values consist of ids, our own addresses, and signatures,
 * so that none can contain a line break; never add a name or a subject.
 * - `Message-ID` is derived from the delivery, so that a mail that a provider accepted twice is one in the mailbox (RFC 5322,
 *   3.6.4).
 * - `In-Reply-To` and `References` name a mail that was never sent. It is the same in all mails of a thread, even if a provider
 *   sets its own `Message-ID`.
 * - `Auto-Submitted` keeps machines from replying (RFC 3834, 5); Exchange reads `X-Auto-Response-Suppress`.
 * - `List-Unsubscribe` with one click (RFC 8058) is set if the kind of mail can be turned off (EMAIL-14).
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
