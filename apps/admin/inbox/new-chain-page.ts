import { type Html, html } from '@case-platform/lib/html';
import type { CasePerson, CaseSummary } from '@case-platform/modules/cases';
import { MESSAGE_MAX, SUBJECT_MAX } from '@case-platform/words/limits';
import { userTypeInWords } from '@case-platform/words/user-types';
import { choiceAttributes, chosen, fieldError, formField, formNotices, textField, typed } from '../form/fields.ts';
import { idempotencyField } from '../form/idempotency-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { personLine } from '../page/person.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { caseStateWords } from '../page/words.ts';
import { filePicker } from './composer.ts';

interface NewChain {
  cases: CaseSummary[];
  /** The chosen case and its people, once there is one. */
  chosen: { id: number; name: string; people: CasePerson[] } | undefined;
  /** The subject, if the link to this page names one. */
  subject: string | undefined;
  refused: RefusedForm | undefined;
}

/** Writing to people of a case: first the case, then the message. */
export function newChainPage(frame: Frame<StaffActor>, { cases, chosen, subject, refused }: NewChain): Html {
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      <h1 class="page-title">Write a message</h1>
      <p class="page-lead">Write to the people on one case. The case’s escrow specialist will own the conversation.</p>
    </header>
    ${
      cases.length === 0
        ? emptyState(
            'briefcase-medical',
            'You’re not on a case yet',
            'You can write to people on your cases. Ask to be added to one.',
          )
        : caseForm(cases, chosen?.id)
    }
    ${chosen === undefined ? '' : messageForm(frame, chosen, { subject, refused })}
  </div>`;
  return shellPage(frame, { title: 'Write a message', content, scripts: ['compose.js'] });
}

function caseForm(cases: CaseSummary[], chosenId: number | undefined): Html {
  const options = cases.map(
    ({ id, name, status }) =>
      html`<option value="${id}" ${id === chosenId ? 'selected' : ''}>${name} (${caseStateWords(status)})</option>`,
  );
  return html`<form method="get" action="/messages/new" class="mb-2">
    <label class="field">
      <span class="field-label">Case</span>
      <select class="select" name="case_id" data-submit-on-change>
        ${chosenId === undefined ? html`<option value="">Choose a case</option>` : ''}
        ${options}
      </select>
    </label>
    <button class="btn" type="submit" data-without-script>Choose</button>
  </form>`;
}

function messageForm(
  frame: Frame<StaffActor>,
  chosenCase: NonNullable<NewChain['chosen']>,
  { subject, refused }: Pick<NewChain, 'subject' | 'refused'>,
): Html {
  const several = frame.actor.admin.can('send_group_messages');
  if (chosenCase.people.length === 0)
    return emptyState('users', 'No one to write to', 'This case has no people yet. Add them on the case first.');
  return html`<form
    method="post"
    action="/messages"
    enctype="multipart/form-data"
    data-draft="${frame.actor.user.id}-case-${chosenCase.id}"
    data-busy-words="Sending…"
  >
    ${csrfField(frame)}
    ${idempotencyField()}
    <input type="hidden" name="case_id" value="${chosenCase.id}">
    ${formNotices({ refused })}
    <fieldset class="field">
      <legend class="field-label">To</legend>
      <p class="field-hint">
        ${
          several
            ? 'Choose several to start a group. Everyone in it sees all of its messages.'
            : 'Your role can write to one person at a time.'
        }
      </p>
      <ul class="choices">${chosenCase.people.map((person) => recipient(person, several, refused))}</ul>
      ${fieldError('recipients', refused)}
    </fieldset>
    ${textField({ name: 'subject', label: 'Subject', value: subject ?? null, max: SUBJECT_MAX, isOptional: true }, refused)}
    ${formField(
      {
        name: 'message',
        label: 'Message',
        control: (attributes) => html`<textarea
          dir="auto"
          class="textarea min-h-44 field-sizing-content leading-normal"
          ${attributes}
          rows="7"
          maxlength="${MESSAGE_MAX}"
          required
        >${typed(refused, 'message')}</textarea>`,
      },
      refused,
    )}
    <div class="attach-line">
      ${filePicker(refused)}
      <ul class="composer-files" data-file-list="files" hidden></ul>
    </div>
    ${fieldError('files', refused)}
    <div class="form-actions">
      <button class="btn btn-primary" type="submit">${icon('send')}Send message</button>
      <a class="btn btn-ghost" href="/messages">Cancel</a>
    </div>
  </form>`;
}

function recipient(person: CasePerson, several: boolean, refused: RefusedForm | undefined): Html {
  const value = `${person.user_type}:${person.user_id}`;
  const isChosen = chosen(refused, 'recipients')?.includes(value) ?? false;
  const type = several ? 'checkbox' : 'radio';
  return html`<li>
    <label>
      <input
        class="${type}"
        type="${type}"
        ${choiceAttributes('recipients', refused)}
        name="recipients"
        value="${value}"
        ${isChosen ? 'checked' : ''}
      >
      ${personLine(person.name, userTypeInWords(person.user_type), { small: true })}
    </label>
  </li>`;
}
