import { type Html, html } from '@case-platform/lib/html';
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
  /** Whether a yes removes or ends something. */
  isLoss?: boolean;
  /** Hidden fields of the form. */
  fields?: Record<string, string>;
  /** The classes of the button that asks. */
  look?: string;
}

/** A button that asks for confirmation, naming what will change. */
export function confirmDialog(frame: Frame, confirmation: Confirmation): Html {
  const { id, button, title, text, action, yes, no, isLoss = true, fields = {}, look = 'btn btn-sm' } = confirmation;
  const hiddenFields = Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return html`<button class="${look}" type="button" popovertarget="${id}">${button}</button>
    <div class="confirm-dialog" id="${id}" popover role="alertdialog" aria-labelledby="${id}-title" aria-describedby="${id}-text">
      <h3 class="confirm-title" id="${id}-title">${title}</h3>
      <p class="confirm-text" id="${id}-text">${text}</p>
      <form class="confirm-actions" method="post" action="${action}">
        ${csrfField(frame)}
        ${hiddenFields}
        <button class="btn btn-ghost" type="button" popovertarget="${id}" popovertargetaction="hide">${no}</button>
        <button class="btn ${isLoss ? 'btn-error' : 'btn-primary'}" type="submit">${yes}</button>
      </form>
    </div>`;
}
