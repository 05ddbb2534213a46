import { type Html, html } from '@case-platform/lib/html';
import { icon } from './icons.ts';

/** The arrow beside a page's title. @param words where it leads, such as "Back to all batches". */
export function backLink(href: string, words: string): Html {
  return html`<a class="btn btn-ghost btn-sm btn-square" href="${href}" aria-label="${words}" title="${words}">
    ${icon('arrow-left')}
  </a>`;
}
