import { type Html, html } from '@case-platform/lib/html';
import { sentence } from '@case-platform/words/sentence';

/** A payment with the words that say what it is for. */
interface NamedPayment {
  disbursement_id: number;
  description: string;
  category: string;
}

/** Links to the request of a payment, by the words that say what it is for. */
export function paymentLink(payment: NamedPayment): Html {
  return html`<a class="link" href="/disbursements/${payment.disbursement_id}">${paymentName(payment)}</a>`;
}

export function paymentName({ description, category }: Pick<NamedPayment, 'description' | 'category'>): string {
  return description || sentence(category);
}

/** The headings of `paymentCells`. */
export const PAYMENT_HEADINGS = html`<th scope="col">For</th>
  <th scope="col">To</th>
  <th scope="col">Case</th>`;

interface CasePayment extends NamedPayment {
  payee_name: string;
  case_id: number;
  case_name: string;
}

/** The first cells of a payment in a table: what it is for, whom it pays, and its case, with more about the first two. */
export function paymentCells(payment: CasePayment, { about, to = '' }: { about: Html | string; to?: Html | string }): Html {
  return html`<td data-label="For" class="cell-wide">
      ${paymentLink(payment)}
      <span class="cell-note">${about}</span>
    </td>
    <td data-label="To" class="wrap-anywhere">${payment.payee_name}${to}</td>
    <td data-label="Case"><a class="link" href="/cases/${payment.case_id}">${payment.case_name}</a></td>`;
}
