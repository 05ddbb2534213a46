import { type Html, html } from '@case-platform/lib/html';

/** A web address within a text, without the punctuation or bracket after it. */
const ADDRESS = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/g;

/** Plain text with its web addresses as links. Nothing in a message is ever read as HTML. */
export function messageText(text: string): Html {
  const parts = text.split(ADDRESS).map((part, at) => (at % 2 === 1 ? link(part) : part));
  return html`${parts}`;
}

function link(address: string): Html {
  return URL.canParse(address)
    ? html`<a class="link" href="${address}" target="_blank" rel="noreferrer noopener">${address}</a>`
    : html`${address}`;
}
