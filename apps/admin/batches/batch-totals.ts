import { type Html, html } from '@case-platform/lib/html';
import type { ReadyRequest } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';

/** One line of a list of subtotals, such as a payee or a case. The script of the page finds it by its key. */
interface Group {
  key: string;
  name: string;
}

const LISTS: { title: string; groupOf: (payment: ReadyRequest) => Group }[] = [
  { title: 'By payee', groupOf: ({ payee_id, payee_name }) => ({ key: `payee-${payee_id}`, name: payee_name }) },
  { title: 'By case', groupOf: ({ case_id, case_name }) => ({ key: `case-${case_id}`, name: case_name }) },
  {
    title: 'By kind',
    groupOf: ({ is_compensation }) =>
      is_compensation ? { key: 'compensation', name: 'Compensation' } : { key: 'reimbursement', name: 'Reimbursements' },
  },
];

/** The attributes of a payment's check box from which `new-batch.ts` computes the totals. */
export function totalAttributes(payment: ReadyRequest): Html {
  const keys = LISTS.map(({ groupOf }) => groupOf(payment).key).join(' ');
  return html`data-cents="${payment.amount_cents}" data-groups="${keys}"`;
}

/**
 * The totals of the chosen payments. A script updates them while people choose; without it, they are right when the page opens
 * and after "Update totals". Groups without a chosen payment are hidden.
 */
export function batchTotals(payable: readonly ReadyRequest[], chosenIds: ReadonlySet<number>): Html {
  const requests = payable.filter(({ id }) => chosenIds.has(id));
  const lists = LISTS.map(({ title, groupOf }) => {
    const groups = new Map<string, { name: string; cents: number }>();
    for (const payment of payable) {
      const { key, name } = groupOf(payment);
      const { cents } = groups.get(key) ?? { cents: 0 };
      groups.set(key, { name, cents: cents + (chosenIds.has(payment.id) ? payment.amount_cents : 0) });
    }
    const items = [...groups].map(
      ([key, { name, cents }]) => html`<li data-total-of="${key}" ${cents === 0 ? 'hidden' : ''}>
        <span class="wrap-anywhere">${name}</span>
        <span class="money">${moneyWords(cents)}</span>
      </li>`,
    );
    return html`<h3 class="total-title">${title}</h3>
      <ul class="total-list">${items}</ul>`;
  });
  return html`<p class="batch-total" role="status">
      <span data-total-count>${counted(requests.length, 'payment')}</span>
      <strong class="money" data-total-all>${moneyWords(sumOf(requests))}</strong>
    </p>
    ${lists}`;
}

function sumOf(payments: readonly ReadyRequest[]): number {
  return payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}
