import { type Html, html, joinHtml } from '@case-platform/lib/html';
import { icon } from './icons.ts';

/** Keys of a page and what they do, as they are listed. */
type Keys = readonly (readonly [keys: readonly string[], words: string])[];

export const INBOX_KEYS: Keys = [
  [['j', '↓'], 'Next conversation'],
  [['k', '↑'], 'Previous conversation'],
  [['Enter'], 'Open it'],
  [['r'], 'Open it and reply'],
  [['e'], 'Close or reopen it'],
  [['u'], 'Mark as read or unread'],
  [['/'], 'Search'],
  [['?'], 'Show this list'],
];

export const CHAIN_KEYS: Keys = [
  [['r'], 'Write a reply'],
  [['n'], 'Write an internal note'],
  [['Ctrl', 'Enter'], 'Send'],
  [['Esc'], 'Leave the text field'],
  [['e'], 'Close or reopen the conversation'],
  [['u'], 'Mark as unread and go back'],
  [['b'], 'Back to the inbox'],
  [['?'], 'Show this list'],
];

/** A button that shows the keys of this page. They work only while no field has the focus. */
export function keysHelp(keys: Keys): Html {
  const rows = keys.map(
    ([names, words]) =>
      html`<div>
        <dt>
          ${joinHtml(
            names.map((name) => html`<kbd class="key">${name}</kbd>`),
            ' ',
          )}
        </dt>
        <dd>${words}</dd>
      </div>`,
  );
  return html`<button
      class="btn btn-ghost btn-sm keys-button"
      type="button"
      popovertarget="keys"
      data-key="?"
      aria-label="Keyboard"
      title="Keyboard"
    >
      ${icon('keyboard')}
    </button>
    <div class="confirm-dialog" id="keys" popover role="dialog" aria-labelledby="keys-title">
      <h2 class="confirm-title" id="keys-title">Keyboard</h2>
      <dl class="keys-list">${rows}</dl>
      <div class="confirm-actions">
        <button class="btn btn-sm" type="button" popovertarget="keys" popovertargetaction="hide">Close</button>
      </div>
    </div>`;
}
