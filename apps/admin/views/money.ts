import { html } from '@case-platform/lib/html';

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** An amount as people read it: $1,234.50. */
export function moneyWords(cents: number): string {
  return DOLLARS.format(cents / 100);
}

/** An amount in tabular figures. */
export function money(cents: number): string {
  return html`<span class="money">${moneyWords(cents)}</span>`;
}
