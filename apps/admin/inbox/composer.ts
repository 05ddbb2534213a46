import { randomUUID } from 'node:crypto';
import { html } from '@case-platform/lib/html';
import type { Chain } from '@case-platform/modules/messaging';
import { acceptedFiles } from '@case-platform/words/files';
import { MESSAGE_MAX, NOTE_MAX } from '@case-platform/words/limits';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField } from '../page/shell.ts';
import { chainWith } from '../page/words.ts';

/** What is being written: a reply goes out, a note stays among staff. */
export type ComposeMode = 'reply' | 'note';

/** What was written and could not be sent, and why. */
export interface FailedText {
  mode: ComposeMode;
  text: string;
  problem: string;
}

interface Composer {
  chain: Chain;
  mode: ComposeMode;
  /** The newest message that the writer has in front of them. */
  seen: number;
  failed: FailedText | undefined;
}

/** What stands under a chain: two forms that cannot be mistaken for each other, of which one is shown. */
export function composer(frame: Frame, composed: Composer): string {
  const { chain, mode } = composed;
  const tab = (is: ComposeMode, words: string, key: string) =>
    html`<a href="?write=${is}" data-compose="${is}" data-key="${key}" !${mode === is ? 'aria-current="true"' : ''}>!${is === 'note' ? icon('lock') : icon('send')}<span>${words}</span><span class="draft-mark" hidden>Draft</span></a>`;
  return html`<div class="compose" id="compose">
  <p class="compose-line" id="writing" role="status"></p>
  <p class="compose-line is-answered" id="answered" role="status"></p>
  <nav class="compose-tabs" aria-label="What to write">!${tab('reply', 'Reply', 'r')}!${tab('note', 'Internal note', 'n')}</nav>
  !${replyForm(frame, composed)}
  !${noteForm(frame, chain, mode, failedIn('note', composed.failed))}
</div>`;
}

function failedIn(mode: ComposeMode, failed: FailedText | undefined): FailedText | undefined {
  return failed?.mode === mode ? failed : undefined;
}

/** A random key makes a second click send nothing twice. */
function replyForm(frame: Frame, { chain, mode, seen, failed: anyFailed }: Composer): string {
  const failed = failedIn('reply', anyFailed);
  const again = chain.status === 'closed' ? ' A reply opens this conversation again.' : '';
  return html`<form class="composer" id="reply-form" method="post" action="/messages/${chain.id}" enctype="multipart/form-data" data-draft="${frame.actor.user.id}-chain-${chain.id}" data-busy-words="Sending…" !${mode === 'reply' ? '' : 'hidden'}>
  !${csrfField(frame)}!${idempotencyField()}<input type="hidden" name="seen_message_id" value="${seen}">
  !${problem(failed)}
  <div class="composer-box">
    <p class="composer-audience" id="composer-to" data-live>!${icon('eye')}<span>To <b>${chainWith(chain)}</b>.${again}</span></p>
    <label class="sr-only" for="reply">Your reply</label>
    <textarea class="composer-input" id="reply" name="message" rows="2" maxlength="${MESSAGE_MAX}" required placeholder="Write a reply" aria-describedby="composer-to">${failed?.text}</textarea>
    <ul class="composer-files" data-file-list="files" hidden></ul>
    <div class="composer-bar">
      !${filePicker()}
      <span class="composer-hint"><kbd>Ctrl</kbd> <kbd>Enter</kbd> sends</span>
      <button class="btn btn-primary btn-sm" type="submit">!${icon('send')}Send reply</button>
    </div>
  </div>
</form>`;
}

function noteForm(frame: Frame, chain: Chain, mode: ComposeMode, failed: FailedText | undefined): string {
  return html`<form class="composer is-note" id="note-form" method="post" action="/messages/${chain.id}/notes" data-draft="${frame.actor.user.id}-note-${chain.id}" data-busy-words="Saving…" !${mode === 'note' ? '' : 'hidden'}>
  !${csrfField(frame)}!${idempotencyField()}
  !${problem(failed)}
  <div class="composer-box">
    <p class="composer-audience" id="note-for">!${icon('lock')}<span><b>Only staff</b> see this note. Nobody is written to.</span></p>
    <label class="sr-only" for="note">Your internal note</label>
    <textarea class="composer-input" id="note" name="note" rows="2" maxlength="${NOTE_MAX}" required placeholder="Write a note for your colleagues" aria-describedby="note-for">${failed?.text}</textarea>
    <div class="composer-bar">
      <span class="composer-hint"><kbd>Ctrl</kbd> <kbd>Enter</kbd> adds it</span>
      <button class="btn btn-note btn-sm" type="submit">!${icon('lock')}Add note</button>
    </div>
  </div>
</form>`;
}

function problem(failed: FailedText | undefined): string {
  return failed === undefined ? '' : html`<div class="composer-problem">!${notice('error', failed.problem)}</div>`;
}

/** Makes the form's request happen once, however often it is sent. */
export function idempotencyField(): string {
  return html`<input type="hidden" name="idempotency_key" value="${randomUUID()}">`;
}

/** The button that chooses files; their names appear in the list that names this input. */
export function filePicker(): string {
  return html`<label class="btn btn-ghost btn-sm">!${icon('paperclip')}Attach files<input class="sr-only" type="file" name="files" id="files" multiple accept="${acceptedFiles()}"></label>`;
}
