import { storableId } from '@case-platform/lib/text/exact-text';
import type { ProviderReport } from '../provider-reports.ts';
import type { SuppressionReason } from '../suppressions.ts';

/** SendGrid's reasons for a dropped mail that are about the address (Event Webhook, 'dropped'). */
const DROPPED: readonly [RegExp, SuppressionReason][] = [
  [/^bounced address/i, 'bounced'],
  [/^unsubscribed address/i, 'unsubscribed'],
  [/^spam reporting address/i, 'complained'],
  [/^invalid/i, 'invalid'],
];
const ADDRESS_MAX = 320;
const DETAIL_MAX = 300;
const REPORT_ID_MAX = 300;
/** The year 2100; a later time is not that of an event. */
const SECONDS_MAX = 4_102_444_800;

/** Reads SendGrid's events. Malformed ones, and those that we do not use, such as opened or deferred, are dropped. */
export function readSendGridEvents(events: unknown): ProviderReport[] {
  return Array.isArray(events) ? events.flatMap((event) => readEvent(event) ?? []) : [];
}

function readEvent(given: unknown): ProviderReport | null {
  if (typeof given !== 'object' || given === null) return null;
  const event = given as Record<string, unknown>;
  const text = (name: string) =>
    typeof event[name] === 'string' ? (event[name] as string).replaceAll('\0', '').toWellFormed() : '';
  const address = text('email').trim();
  const meaning = meaningOf(text('event'), text('type'), text('reason'));
  const event_id = typeof event.sg_event_id === 'string' ? event.sg_event_id : '';
  const happened_at = momentOf(event.timestamp);
  // Without an id and a time, a repeated report could not be recognized.
  if (event_id === '' || happened_at === null) return null;
  if (meaning === null || address === '' || address.length > ADDRESS_MAX) return null;
  const id = text('delivery_id');
  return {
    report_id: storableId(event_id, REPORT_ID_MAX),
    happened_at,
    delivery_id: /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null,
    // SendGrid appends to the id that it returned for the mail.
    provider_id: text('sg_message_id').split('.')[0]?.slice(0, 200).toWellFormed() || null,
    address,
    ...meaning,
    detail: `${meaning.detail}${text('reason') === '' ? '' : `: ${text('reason').slice(0, DETAIL_MAX).toWellFormed()}`}`,
  };
}

function momentOf(seconds: unknown): Date | null {
  const isMoment = typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 && seconds <= SECONDS_MAX;
  return isMoment ? new Date(seconds * 1000) : null;
}

function meaningOf(event: string, type: string, reason: string) {
  switch (event) {
    case 'delivered':
      return { outcome: 'delivered' as const, suppress: null, detail: 'Delivered' };
    case 'bounce': {
      // `blocked` is temporary: a full mailbox, or a server that is down.
      const suppress = type === 'blocked' ? null : ('bounced' as const);
      return {
        outcome: 'bounced' as const,
        suppress,
        detail: suppress === null ? 'The mail was blocked' : 'The mail bounced',
      };
    }
    case 'dropped': {
      const suppress = DROPPED.find(([pattern]) => pattern.test(reason))?.[1] ?? null;
      return { outcome: 'bounced' as const, suppress, detail: 'SendGrid dropped the mail' };
    }
    case 'spamreport':
      return { outcome: null, suppress: 'complained' as const, detail: 'Marked as spam' };
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { outcome: null, suppress: 'unsubscribed' as const, detail: 'Unsubscribed' };
    default:
      return null;
  }
}
