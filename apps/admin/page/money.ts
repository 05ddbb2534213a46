import { type Html, html } from '@case-platform/lib/html';
import { moneyWords } from '@case-platform/words/money';

/** An amount in tabular figures. */
export function money(cents: number): Html {
  return html`<span class="money">${moneyWords(cents)}</span>`;
}
