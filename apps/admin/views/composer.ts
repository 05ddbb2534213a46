import { randomUUID } from 'node:crypto';
import { html } from '@case-platform/lib/html';
import { ATTACHMENT_TYPES } from '@case-platform/modules/storage';
import type { Frame } from '../frame.ts';
import { icon } from './icons.ts';
import { notice } from './notice.ts';
import { csrfField } from './shell.ts';

interface Composer {
  action: string;
  /** The text of a try that failed. */
  text?: string;
  problem?: string | undefined;
  /** Names this place in the browser's memory of texts that were not sent. */
  draft: string;
}

const ACCEPT = ATTACHMENT_TYPES.flatMap((type) => type.extensions.map((extension) => `.${extension}`)).join(',');
const MESSAGE_MAX = 10_000;

/** The form under a chain. A random key makes a second click send nothing twice. */
export function composer(frame: Frame, { action, text = '', problem, draft }: Composer): string {
  return html`<form class="composer" method="post" action="${action}" enctype="multipart/form-data" data-draft="${draft}" data-busy-words="Sending…">
  !${csrfField(frame)}
  !${idempotencyField()}
  !${problem === undefined ? '' : html`<div class="composer-problem">!${notice('error', problem)}</div>`}
  <div class="composer-box">
    <label class="sr-only" for="reply">Your reply</label>
    <textarea class="composer-input" id="reply" name="message" rows="2" maxlength="${MESSAGE_MAX}" required placeholder="Write a reply">${text}</textarea>
    <ul class="composer-files" data-file-list="files" hidden></ul>
    <div class="composer-bar">
      !${filePicker()}
      <span class="composer-hint"><kbd>Ctrl</kbd> <kbd>Enter</kbd> sends</span>
      <button class="btn btn-primary btn-sm" type="submit">!${icon('send')}Send reply</button>
    </div>
  </div>
</form>`;
}

/** Makes the form's request happen once, however often it is sent. */
export function idempotencyField(): string {
  return html`<input type="hidden" name="idempotency_key" value="${randomUUID()}">`;
}

/** The button that chooses files; their names appear in the list that names this input. */
export function filePicker(): string {
  return html`<label class="btn btn-ghost btn-sm">!${icon('paperclip')}Attach files<input class="sr-only" type="file" name="files" id="files" multiple accept="${ACCEPT}"></label>`;
}
