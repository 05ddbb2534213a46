import { storableId } from '@case-platform/lib/text/exact-text';
import type { ProviderReport } from '../provider-reports.ts';
import type { SuppressionReason } from '../suppressions.ts';

/** Twilio's error codes about the number: unsubscribed, or unable to receive text messages. */
const ABOUT_THE_NUMBER: ReadonlyMap<string, SuppressionReason> = new Map([
  ['21610', 'unsubscribed'],
  ['21211', 'invalid'],
  ['21614', 'invalid'],
  ['30005', 'invalid'],
  ['30006', 'invalid'],
]);

/** Reads Twilio's status callback; null for a state that is not final. `query` has the parameters of the callback address. */
export function readTwilioStatus(
  form: Readonly<Record<string, string>>,
  query: Readonly<Record<string, unknown>>,
): ProviderReport | null {
  const { MessageStatus = '', ErrorCode = '', MessageSid = '', To = '' } = form;
  const outcome = outcomeOf(MessageStatus);
  if (outcome === null || To === '' || To.length > 50 || MessageSid === '') return null;
  const id = String(query.delivery_id ?? '');
  return {
    // Twilio sends neither a report id nor a time. A message ends once, so its id and result identify the report.
    report_id: `${storableId(MessageSid, 200)}:${outcome}`,
    happened_at: null,
    delivery_id: /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null,
    provider_id: storableId(MessageSid, 200),
    address: To,
    outcome,
    suppress: outcome === 'bounced' ? (ABOUT_THE_NUMBER.get(ErrorCode) ?? null) : null,
    detail:
      outcome === 'delivered' ? 'Delivered' : `The text message did not arrive${ErrorCode && ` (${ErrorCode.slice(0, 10)})`}`,
  };
}

function outcomeOf(status: string): 'delivered' | 'bounced' | null {
  if (status === 'delivered') return 'delivered';
  return status === 'undelivered' || status === 'failed' ? 'bounced' : null;
}
