import { type Html, html } from '@case-platform/lib/html';
import { splitLinks } from '@case-platform/words/messages/links';

/** Plain text with its web addresses as links. No part of a message is ever rendered as HTML (MESSAGE-9). */
export function messageText(text: string): Html {
  const parts = splitLinks(text).map(({ text: words, href }) =>
    href === null ? words : html`<a class="link" href="${href}" target="_blank" rel="noreferrer noopener">${words}</a>`,
  );
  return html`${parts}`;
}
