import { type Html, html } from '@case-platform/lib/html';

/**
 * The number of unread messages. It reloads itself when `live.ts` says so, which does not keep the session alive, and at
 * once after something was viewed.
 */
export function unreadBadge(count: number): Html {
  const shown = count > 99 ? '99+' : `${count}`;
  const look = count === 0 ? 'hidden' : html`class="unread-badge"`;
  return html`<span
    id="unread-badge"
    ${look}
    data-count="${count}"
    hx-get="/messages/unread-badge"
    hx-trigger="count-unread from:body, viewed from:body"
    hx-headers='{"x-background":"1"}'
    hx-swap="outerHTML"
  ><span aria-hidden="true">${shown}</span><span class="sr-only">${count} unread</span></span>`;
}
