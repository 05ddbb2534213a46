import { type Html, type HtmlValue, html } from '@case-platform/lib/html';

/** A heading over numbers, dates, or amounts, which are on the right. */
export const numberHeading = (words: string): Html => html`<th scope="col" class="is-number">${words}</th>`;

/** A heading that only screen readers say, over buttons. */
export const unseenHeading = (words: string): Html => html`<th scope="col"><span class="sr-only">${words}</span></th>`;

/** A table, of which a narrow screen shows each row as a block. @param look more classes of it */
export function dataTable(headings: readonly HtmlValue[], rows: HtmlValue, look = ''): Html {
  const cells = headings.map((heading) => (typeof heading === 'string' ? html`<th scope="col">${heading}</th>` : heading));
  return html`<div class="data-table-wrap">
    <table class="data-table is-stacked ${look}">
      <thead><tr>${cells}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
}
