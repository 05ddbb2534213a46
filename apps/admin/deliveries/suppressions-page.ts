import { type Html, html } from '@case-platform/lib/html';
import type { Suppression, SuppressionReason } from '@case-platform/modules/notifications';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { failureWords, maySeeContacts, recipientPart } from '../page/contact-parts.ts';
import { dataTable, numberHeading, unseenHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { channelLabel } from './delivery-words.ts';

const REASONS: Record<SuppressionReason, string> = {
  bounced: 'Mail bounced',
  invalid: 'Not a working address',
  unsubscribed: 'Unsubscribed',
  complained: 'Marked as spam',
};

interface SuppressionList {
  data: Suppression[];
  /** Where the page begins; undefined for the first page. */
  before: number | undefined;
  next_before: number | null;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The suppression list: addresses and numbers that nothing is sent to until staff lift the suppression. */
export function suppressionsPage(frame: Frame<StaffActor>, { data, before, next_before, done, refused }: SuppressionList): Html {
  const nothing = emptyState('mail-check', 'No blocked addresses', 'Addresses that bounce or unsubscribe appear here.');
  const content = html`<div class="page is-wide">
    <header class="page-header">
      ${backLink('/deliveries', 'Back to all deliveries')}
      <div>
        <h1 class="page-title">Blocked addresses</h1>
        <p class="page-lead">
          Mail or text messages to these addresses bounced or aren’t wanted. We send nothing until you unblock them.
        </p>
      </div>
    </header>
    ${formNotices({ done, refused })}
    ${data.length === 0 ? html`<div class="panel">${nothing}</div>` : table(frame, data)}
    ${pager({
      path: (cursor) => listAddress('/deliveries/suppressions', { before: cursor }),
      current: before,
      next: next_before,
    })}
  </div>`;
  return shellPage(frame, { title: 'Blocked addresses', content });
}

function table(frame: Frame<StaffActor>, suppressions: Suppression[]): Html {
  const rows = suppressions.map(
    (entry) => html`<tr>
      <td data-label="Channel">${channelLabel(entry.channel)}</td>
      <td data-label="Address" class="cell-address">${recipientPart(frame, entry.address)}</td>
      <td data-label="Why" class="cell-wide">
        ${REASONS[entry.reason]}
        <span class="cell-note">${failureWords(frame, { error: entry.detail, recipient: entry.address })}</span>
      </td>
      <td data-label="Since" class="is-number">${timeElement(entry.created_at, frame.clock)}</td>
      <td>${liftButton(frame, entry)}</td>
    </tr>`,
  );
  return dataTable(['Channel', 'Address', 'Why', numberHeading('Since'), unseenHeading('Change')], rows, 'is-list');
}

function liftButton(frame: Frame<StaffActor>, { id, address }: Suppression): Html {
  if (!frame.actor.admin.can('view_deliveries')) return html``;
  return confirmDialog(frame, {
    id: `lift-${id}`,
    button: 'Unblock',
    title: maySeeContacts(frame.actor) ? `Send to ${address} again?` : 'Send there again?',
    text: 'Only do this once the owner confirms that the address works or that they want to hear from us again.',
    action: `/deliveries/suppressions/${id}/lift`,
    yes: 'Send again',
    no: 'Cancel',
    isLoss: false,
  });
}
