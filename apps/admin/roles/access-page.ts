import { html } from '@case-platform/lib/html';
import { displayName } from '@case-platform/modules/accounts';
import type { CaseAccessReason } from '@case-platform/modules/cases';
import { EMAIL_MAX } from '@case-platform/words/limits';
import { USER_TYPES, type UserType, userTypeInWords } from '@case-platform/words/user-types';
import type { Frame } from '../page/frame.ts';
import { notice } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import type { Explanation } from './explain-access.ts';

export interface AccessView {
  query: { email?: string; user_type: UserType; case_id?: number; action?: string };
  actions: string[];
  person: { id: number; first_name: string; last_name: string; email_address: string } | null;
  needsCase: boolean;
  explanation: Explanation | null;
}

const CASE_REASONS: Record<CaseAccessReason, string> = {
  participant: 'Takes part in the case',
  agency_owner: 'Owns the agency of the case',
  escrow_specialist: 'Is its escrow specialist',
  case_team: 'Is on its team',
  view_all_cases: 'Has view_all_cases',
};

/** What a guard decides about somebody, and why. */
export function accessPage(frame: Frame, view: AccessView): string {
  const content = html`<div class="page is-roomy">
  <header class="page-header"><h1 class="page-title">Access</h1>
    <p class="page-lead">Who may do what, and why. The answer comes from the guards themselves.</p></header>
  !${form(view)}!${answer(view)}
</div>`;
  return shellPage(frame, { title: 'Access', content });
}

function form({ query, actions }: AccessView): string {
  const option = (value: string, words: string, chosen: boolean) =>
    html`<option value="${value}" !${chosen ? 'selected' : ''}>${words}</option>`;
  return html`<form class="filter-bar" method="get" action="/access" role="search">
  <label class="filter-field"><span>Email address</span><input class="input input-sm" type="email" name="email" value="${query.email}" maxlength="${EMAIL_MAX}" required></label>
  <label class="filter-field"><span>Role</span><select class="select select-sm" name="user_type">!${USER_TYPES.map((type) => option(type, userTypeInWords(type), type === query.user_type))}</select></label>
  <label class="filter-field is-short"><span>Case number</span><input class="input input-sm" inputmode="numeric" pattern="[0-9]*" name="case_id" value="${query.case_id}" maxlength="15"></label>
  <label class="filter-field"><span>Action</span><select class="select select-sm" name="action">!${actions.map((action) => option(action, action, action === query.action))}</select></label>
  <button class="btn btn-sm btn-primary" type="submit">Explain</button>
</form>`;
}

function answer({ query, person, needsCase, explanation }: AccessView): string {
  if (query.email === undefined) return '';
  if (person === null) return notice('info', 'Nobody has this address in this role.');
  if (needsCase) return notice('waiting', 'This action is about a case: enter its number.');
  if (explanation === null) return notice('info', 'Choose an action.');
  const { verdict, rule } = explanation;
  const words = { admit: 'is let in', refuse: 'is refused', sign_in: 'has to sign in first, and cannot' }[verdict];
  return html`<section aria-labelledby="verdict"><h2 class="section-title" id="verdict">Decision</h2>
  !${notice(verdict === 'admit' ? 'done' : 'error', why(explanation), `${displayName(person)} ${words}`)}
  <p class="mono mt-3">!${formula(explanation)}</p></section>
  <section aria-labelledby="checks"><h2 class="section-title" id="checks">What the !${rule.guard} guard looked at</h2>!${checks(explanation)}</section>
  !${caseSection(explanation)}`;
}

function why({ verdict, rule, authorized, adminContext }: Explanation): string {
  if (verdict === 'sign_in') return 'There is no open account behind this record.';
  if (authorized && (rule.guard === 'page' || adminContext)) return 'The authorization check holds.';
  if (verdict === 'admit') return 'The authorization check fails, but pages stay readable by any admin.';
  if (authorized) return 'The authorization check holds, but there is no admin context, which changes need.';
  return 'The authorization check fails.';
}

function formula({ rule, checks: { userType, permission, category, caseAccess }, ...found }: Explanation): string {
  const a = html`A = type ${userType.holds} and permission ${permission.holds} and category ${category.holds} and case ${caseAccess.holds} = ${found.authorized}; C = admin context = ${found.adminContext}.`;
  if (rule.guard === 'api') return html`!${a} The API guard fails when not A or not C.`;
  return html`!${a} The page guard fails when not A${found.strict ? ' (strict)' : ' and not C'}.`;
}

function checks({ rule, checks: { userType, permission, category, caseAccess }, adminContext }: Explanation): string {
  const types = (values: readonly UserType[] | null) => values?.map(userTypeInWords).join(', ') ?? '';
  const rows: [name: string, asked: string, found: string, holds: boolean][] = [
    ['Type', types(userType.asked), types(userType.found), userType.holds],
    ['Any permission of', permission.asked?.join(', ') ?? 'Not asked', permission.found.join(', '), permission.holds],
    ['Category', rule.options.category_check ?? 'Not asked', category.found.join(', '), category.holds],
    [
      'Case access',
      caseAccess.asked === null ? 'Not asked' : 'Needed',
      caseAccess.found.length > 0 ? 'Yes' : '',
      caseAccess.holds,
    ],
    ['Admin context', 'An admin', adminContext ? 'Yes' : 'No', adminContext],
  ];
  const cells = rows.map(
    ([name, asked, found, holds]) =>
      html`<tr><th scope="row">${name}</th><td data-label="Asked">${asked}</td><td data-label="Found">${found || '–'}</td><td data-label="Holds"><span class="state-pill ${holds ? 'is-active' : 'is-refused'}">${holds ? 'Holds' : 'Fails'}</span></td></tr>`,
  );
  return html`<div class="data-table-wrap"><table class="data-table is-stacked audit-diff"><thead><tr><th scope="col">Check</th><th scope="col">Asked for</th><th scope="col">Found</th><th scope="col">Result</th></tr></thead><tbody>!${cells}</tbody></table></div>`;
}

function caseSection({ caseReasons }: Explanation): string {
  if (caseReasons === null) return '';
  const rows = Object.entries(caseReasons.reasons).map(
    ([name, holds]) => html`<dt>${CASE_REASONS[name as CaseAccessReason]}</dt><dd>${holds ? 'Yes' : 'No'}</dd>`,
  );
  return html`<section aria-labelledby="case"><h2 class="section-title" id="case">Access to ${caseReasons.case_name}</h2><dl class="facts">!${rows}</dl></section>`;
}
