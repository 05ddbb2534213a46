import { html } from '@case-platform/lib/html';
import type { Frame } from '../page/frame.ts';
import { csrfField } from '../page/shell.ts';

interface Confirmation {
  /** Unique on the page. */
  id: string;
  /** The button that asks. */
  button: string;
  /** The question, and what follows from a yes. */
  title: string;
  text: string;
  /** Where a yes goes, and the words on its button. */
  action: string;
  yes: string;
  no: string;
  /** Whether a yes takes something away. */
  isLoss?: boolean;
  /** What the form says besides. */
  fields?: Record<string, string>;
  /** How the button that asks looks. */
  look?: string;
}

/** A button that asks once, and names what it changes, before it does. */
export function confirmDialog(frame: Frame, confirmation: Confirmation): string {
  const { id, button, title, text, action, yes, no, isLoss = true, fields = {}, look = 'btn btn-sm' } = confirmation;
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<button class="${look}" type="button" popovertarget="${id}">${button}</button>
  <div class="confirm-dialog" id="${id}" popover role="alertdialog" aria-labelledby="${id}-title" aria-describedby="${id}-text">
    <h3 class="confirm-title" id="${id}-title">${title}</h3>
    <p class="confirm-text" id="${id}-text">${text}</p>
    <form class="confirm-actions" method="post" action="${action}">
      !${csrfField(frame)}!${hidden}
      <button class="btn btn-ghost" type="button" popovertarget="${id}" popovertargetaction="hide">${no}</button>
      <button class="btn ${isLoss ? 'btn-error' : 'btn-primary'}" type="submit">${yes}</button>
    </form>
  </div>`;
}
