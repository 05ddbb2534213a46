import { html } from '@case-platform/lib/html';
import type { Agency } from '@case-platform/modules/accounts';
import { CASE_NAME_MAX } from '@case-platform/words/limits';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import type { NewCaseFields } from './case-form-routes.ts';

interface NewCase {
  agencies: Agency[];
  failed: { fields: NewCaseFields; problem: string } | undefined;
}

/** Opening a case: what it is called, and through which agency it comes. */
export function newCasePage(frame: Frame, { agencies, failed }: NewCase): string {
  const { name = '', agency_id = '' } = failed?.fields ?? {};
  const content = html`<div class="page is-narrow">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/cases" aria-label="Back to all cases" title="Back to all cases">!${icon('arrow-left')}</a>
    <h1 class="page-title">Open a case</h1>
    <p class="page-lead">It begins at intake, with you on its team. People, milestones and money follow on its page.</p>
  </header>
  !${failed === undefined ? '' : html`<div class="form-problem">!${notice('error', failed.problem)}</div>`}
  <form class="panel edit-panel" method="post" action="/cases" data-busy-words="Opening…">!${csrfField(frame)}
    <label class="field"><span class="field-label">Name</span><span class="field-hint">Everyone on the case sees it: no diagnosis, no address.</span><input class="input" name="name" value="${name}" maxlength="${CASE_NAME_MAX}" autocomplete="off" required></label>
    <label class="field"><span class="field-label">Agency</span>!${agencyChoice(agencies, agency_id)}</label>
    <div class="form-actions"><button class="btn btn-primary" type="submit">Open case</button><a class="btn btn-ghost" href="/cases">Cancel</a></div>
  </form>
</div>`;
  return shellPage(frame, { title: 'Open a case', content });
}

/** The agencies to choose from, and none. */
export function agencyChoice(agencies: Agency[], chosen: string): string {
  const options = agencies.map(
    ({ id, name }) => html`<option value="${id}" !${String(id) === chosen ? 'selected' : ''}>${name}</option>`,
  );
  return html`<select class="select" name="agency_id"><option value="">Without an agency</option>!${options}</select>`;
}
