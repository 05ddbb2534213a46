import { html } from '@case-platform/lib/html';
import { icon } from './icons.ts';

/**
 * Copies the text of the element with this id, one line a child; app.js shows it where the browser can copy, and says in the
 * button what came of it.
 */
export function copyButton(id: string, { words = 'Copy', look = 'btn btn-sm' } = {}): string {
  return html`<button class="${look}" type="button" data-copy="${id}" hidden>!${icon('copy')}<span>${words}</span></button>`;
}
