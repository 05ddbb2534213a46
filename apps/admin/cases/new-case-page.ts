import { type Html, html } from '@case-platform/lib/html';
import type { Agency } from '@case-platform/modules/accounts';
import { CASE_NAME_MAX } from '@case-platform/words/limits';
import { formNotices, selectField, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { csrfField, shellPage } from '../page/shell.ts';

interface NewCase {
  agencies: Agency[];
  refused: RefusedForm | undefined;
}

/** Opening a case: what it is called, and which agency it comes through. */
export function newCasePage(frame: Frame, { agencies, refused }: NewCase): Html {
  const name = {
    name: 'name',
    label: 'Name',
    hint: 'Everyone on the case sees this name. Leave out medical details and addresses.',
    max: CASE_NAME_MAX,
  };
  const agency = { name: 'agency_id', label: 'Agency', choices: agencies, none: 'No agency' };
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      ${backLink('/cases', 'Back to all cases')}
      <h1 class="page-title">Open a case</h1>
      <p class="page-lead">The case starts in intake with you on its team. Next, you’ll add people and milestones.</p>
    </header>
    ${formNotices({ refused })}
    <form class="panel edit-panel" method="post" action="/cases" data-busy-words="Opening…">
      ${csrfField(frame)}
      ${textField(name, refused)}
      ${selectField(agency, refused)}
      <div class="form-actions">
        <button class="btn btn-primary" type="submit">Open case</button>
        <a class="btn btn-ghost" href="/cases">Cancel</a>
      </div>
    </form>
  </div>`;
  return shellPage(frame, { title: 'Open a case', content });
}
