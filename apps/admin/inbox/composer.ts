import { type Html, html } from '@case-platform/lib/html';
import type { Chain } from '@case-platform/modules/messaging';
import { acceptedFiles } from '@case-platform/words/files';
import { MESSAGE_MAX, NOTE_MAX } from '@case-platform/words/limits';
import { fieldAttributes, fieldError, refusedAt, typed } from '../form/fields.ts';
import { idempotencyField } from '../form/idempotency-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField } from '../page/shell.ts';
import { chainWith } from '../page/words.ts';

/** The kind of text in the composer: a reply is sent, a note stays among staff. */
export type ComposeMode = 'reply' | 'note';

/** The refused form, if it is the reply or the note. */
export function refusedText(chainId: number, refused: RefusedForm | undefined): RefusedForm | undefined {
  return refusedAt(`/messages/${chainId}`, refused) ?? refusedAt(`/messages/${chainId}/notes`, refused);
}

const ONE_AT_A_TIME =
  'Your role can only write to one person at a time, so you can’t reply to this group. You can add an internal note.';

interface Composer {
  chain: Chain;
  mode: ComposeMode;
  /** False for a writer who may only write to one person at a time (CHAIN-11). */
  mayReply: boolean;
  /** The newest message that the writer has seen. */
  seen: number;
  /** The text that could not be sent, and the reason. */
  refused: RefusedForm | undefined;
}

/** Under a chain: the reply and the note, two forms that look clearly different. One of them is shown. */
export function composer(frame: Frame, composed: Composer): Html {
  const { chain, mode, refused } = composed;
  const tab = (is: ComposeMode, words: string, key: string) =>
    html`<a href="?write=${is}" data-compose="${is}" data-key="${key}" ${mode === is ? html`aria-current="true"` : ''}>${
      is === 'note' ? icon('lock') : icon('send')
    }<span>${words}</span><span class="draft-mark" hidden>Draft</span></a>`;
  return html`<div class="compose" id="compose">
    <p class="compose-line" id="writing" role="status"></p>
    <p class="compose-line is-answered" id="answered" role="status"></p>
    <nav class="compose-tabs" aria-label="What to write">${tab('reply', 'Reply', 'r')}${tab('note', 'Internal note', 'n')}</nav>
    ${replyForm(frame, composed)}
    ${noteForm(frame, chain, mode, refusedAt(`/messages/${chain.id}/notes`, refused))}
  </div>`;
}

function replyForm(frame: Frame, { chain, mode, mayReply, seen, ...composed }: Composer): Html {
  const action = `/messages/${chain.id}`;
  const refused = refusedAt(action, composed.refused);
  const attributes = fieldAttributes({ name: 'message', id: 'reply', describedBy: 'composer-to' }, refused);
  const again = chain.status === 'closed' ? ' Replying reopens this conversation.' : '';
  return html`<form
    class="composer"
    id="reply-form"
    method="post"
    action="${action}"
    enctype="multipart/form-data"
    data-draft="${frame.actor.user.id}-chain-${chain.id}"
    data-busy-words="Sending…"
    ${mode === 'reply' ? '' : 'hidden'}
  >
    ${csrfField(frame)}
    ${idempotencyField()}
    <input type="hidden" name="seen_message_id" value="${seen}">
    ${problem(refused)}
    ${mayReply ? '' : notice('info', ONE_AT_A_TIME)}
    <div class="composer-box">
      <p class="composer-audience" id="composer-to" data-live>
        ${icon('eye')}
        <span>To <b>${chainWith(chain)}</b>.${again}</span>
      </p>
      <label class="sr-only" for="reply">Your reply</label>
      <textarea
        class="composer-input"
        dir="auto"
        ${attributes}
        rows="2"
        maxlength="${MESSAGE_MAX}"
        required
        ${mayReply ? '' : 'disabled'}
        placeholder="Write a reply"
      >${typed(refused, 'message')}</textarea>
      ${fieldError('message', refused, 'reply')}${fieldError('files', refused)}
      <ul class="composer-files" data-file-list="files" hidden></ul>
      <div class="composer-bar">
        ${filePicker(refused)}
        <span class="composer-hint"><kbd>Ctrl</kbd> <kbd>Enter</kbd> sends</span>
        <button class="btn btn-primary btn-sm" type="submit" ${mayReply ? '' : 'disabled'}>${icon('send')}Send reply</button>
      </div>
    </div>
  </form>`;
}

function noteForm(frame: Frame, chain: Chain, mode: ComposeMode, refused: RefusedForm | undefined): Html {
  const attributes = fieldAttributes({ name: 'note', describedBy: 'note-for' }, refused);
  return html`<form
    class="composer is-note"
    id="note-form"
    method="post"
    action="/messages/${chain.id}/notes"
    data-draft="${frame.actor.user.id}-note-${chain.id}"
    data-busy-words="Saving…"
    ${mode === 'note' ? '' : 'hidden'}
  >
    ${csrfField(frame)}
    ${idempotencyField()}
    ${problem(refused)}
    <div class="composer-box">
      <p class="composer-audience" id="note-for">
        ${icon('lock')}
        <span><b>Only staff</b> can see this note. No one is notified.</span>
      </p>
      <label class="sr-only" for="note">Your internal note</label>
      <textarea
        class="composer-input"
        dir="auto"
        ${attributes}
        rows="2"
        maxlength="${NOTE_MAX}"
        required
        placeholder="Write a note for your colleagues"
      >${typed(refused, 'note')}</textarea>
      ${fieldError('note', refused)}
      <div class="composer-bar">
        <span class="composer-hint"><kbd>Ctrl</kbd> <kbd>Enter</kbd> adds it</span>
        <button class="btn btn-note btn-sm" type="submit">${icon('lock')}Add note</button>
      </div>
    </div>
  </form>`;
}

function problem(refused: RefusedForm | undefined): Html {
  return refused === undefined ? html`` : html`<div class="composer-problem">${notice('error', refused.words)}</div>`;
}

/** The button that chooses files; their names appear in the list that names this input. */
export function filePicker(refused: RefusedForm | undefined): Html {
  const attributes = fieldAttributes({ name: 'files' }, refused);
  const input = html`<input class="sr-only" type="file" ${attributes} multiple accept="${acceptedFiles()}">`;
  return html`<label class="btn btn-ghost btn-sm">${icon('paperclip')}Attach files${input}</label>`;
}
