import { type Html, html } from '@case-platform/lib/html';
import { type IconName, icon } from './icons.ts';

const ICONS: Record<'info' | 'waiting' | 'error' | 'done', IconName> = {
  info: 'info',
  waiting: 'circle-alert',
  error: 'circle-alert',
  done: 'circle-check',
};

/** A notice to the reader in a box of its own. */
export function notice(kind: keyof typeof ICONS, text: string, title = ''): Html {
  const heading = title === '' ? '' : html`<p class="notice-title">${title}</p>`;
  return html`<div class="notice is-${kind}" role="${kind === 'error' ? 'alert' : 'note'}">
    ${icon(ICONS[kind])}
    <div>${heading}<p>${text}</p></div>
  </div>`;
}

/** Shown in a list while it is empty. */
export function emptyState(mark: IconName, title: string, text: string, action?: Html): Html {
  return html`<div class="empty-state">
    ${icon(mark)}
    <h2>${title}</h2>
    <p>${text}</p>
    ${action}
  </div>`;
}
