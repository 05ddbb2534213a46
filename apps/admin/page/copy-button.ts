import { type Html, html } from '@case-platform/lib/html';
import { icon } from './icons.ts';

/**
 * A button that copies the text of the element with this id, one line per child. `app.ts` shows it if the browser can copy,
 * and says in the button whether it worked.
 */
export function copyButton(id: string, { words = 'Copy', look = 'btn btn-sm' } = {}): Html {
  return html`<button class="${look}" type="button" data-copy="${id}" hidden>${icon('copy')}<span>${words}</span></button>`;
}
