import { type Html, html } from '@case-platform/lib/html';
import type { BatchDetails } from '@case-platform/modules/banking';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { placeInWords } from '@case-platform/words/whereabouts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { paymentLink } from '../page/payment-cells.ts';

/** Lists the payments of a batch that the bank sent back, and where the money of each is now (RETURN-1). */
export function returnNotice({ actor: { admin } }: Frame<StaffActor>, { entries }: BatchDetails): Html {
  const back = entries.filter(({ return_code }) => return_code !== null);
  if (back.length === 0) return html``;
  const items = back.map((entry) => {
    const { payee_name, amount_cents, return_code, place } = entry;
    const { label, mark } = placeInWords(place ?? 'returned');
    return html`<li>
      ${paymentLink(entry)}, ${moneyWords(amount_cents)} to
      ${payee_name}. ${reasonInWords(return_code ?? '')} <span class="state-pill ${mark}">${label}</span>
    </li>`;
  });
  const seesPayments = BATCH_WORKERS.some((permission) => admin.can(permission));
  const title = counted(back.length, 'payment in this batch came back', 'payments in this batch came back');
  return html`<div class="notice is-waiting" role="note">
    ${icon('circle-alert')}
    <div><p class="notice-title">${title}</p>${seesPayments ? html`<ul>${items}</ul>` : ''}</div>
  </div>`;
}
