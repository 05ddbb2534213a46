import { type Html, html } from '@case-platform/lib/html';
import { displayName, permissionWords } from '@case-platform/modules/accounts';
import type { CaseAccessReason } from '@case-platform/modules/cases';
import { EMAIL_MAX } from '@case-platform/words/limits';
import { sentence } from '@case-platform/words/sentence';
import { USER_TYPES, type UserType, userTypeInWords } from '@case-platform/words/user-types';
import type { Frame } from '../page/frame.ts';
import { notice } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import type { Explanation } from './explain-access.ts';

export interface AccessView {
  query: { email?: string; user_id?: number; user_type: UserType; case_id?: number; action?: string };
  /** Whether the reader may look for people by their address; else by their number. */
  byAddress: boolean;
  actions: string[];
  person: { id: number; first_name: string; last_name: string; email_address: string } | null;
  needsCase: boolean;
  explanation: Explanation | null;
}

const CASE_REASONS: Record<CaseAccessReason, string> = {
  participant: 'Is on the case',
  agency_owner: 'Owns the case’s agency',
  escrow_specialist: 'Is its escrow specialist',
  case_team: 'Is on its team',
  view_all_cases: 'Role can see all cases',
};

/** A guard's decision about a person, and the reasons. */
export function accessPage(frame: Frame, view: AccessView): Html {
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      <h1 class="page-title">Access</h1>
      <p class="page-lead">Check what someone can do, and why.</p>
    </header>
    ${form(view)}
    ${answer(view)}
  </div>`;
  return shellPage(frame, { title: 'Access', content });
}

function form({ query, actions, byAddress }: AccessView): Html {
  const option = (value: string, words: string, chosen: boolean) =>
    html`<option value="${value}" ${chosen ? 'selected' : ''}>${words}</option>`;
  const types = USER_TYPES.map((type) => option(type, userTypeInWords(type), type === query.user_type));
  const person = byAddress
    ? html`<label class="filter-field">
        <span>Email address</span>
        <input class="input input-sm" type="email" name="email" value="${query.email}" maxlength="${EMAIL_MAX}" required>
      </label>
      <label class="filter-field">
        <span>Role</span>
        <select class="select select-sm" name="user_type">${types}</select>
      </label>`
    : html`<label class="filter-field is-short">
      <span>Person number</span>
      <input
        class="input input-sm"
        inputmode="numeric"
        pattern="[0-9]*"
        name="user_id"
        value="${query.user_id}"
        maxlength="15"
        required
        title="The number in the address of the person’s page"
      >
    </label>`;
  return html`<form class="filter-bar" method="get" action="/access" role="search">
    ${person}
    <label class="filter-field is-short">
      <span>Case number</span>
      <input class="input input-sm" inputmode="numeric" pattern="[0-9]*" name="case_id" value="${query.case_id}" maxlength="15">
    </label>
    <label class="filter-field">
      <span>Action</span>
      <select class="select select-sm" name="action">
        ${actions.map((action) => option(action, action, action === query.action))}
      </select>
    </label>
    <button class="btn btn-sm btn-primary" type="submit">Explain</button>
  </form>`;
}

function answer({ query, byAddress, person, needsCase, explanation }: AccessView): Html {
  if ((byAddress ? query.email : query.user_id) === undefined) return html``;
  if (person === null) return notice('info', byAddress ? 'No one has this address in this role.' : 'No one has this number.');
  if (needsCase) return notice('waiting', 'This action is about a case. Enter its number.');
  if (explanation === null) return notice('info', 'Choose an action.');
  const { verdict, rule } = explanation;
  const words = { admit: 'can do this', refuse: 'can’t do this', sign_in: 'can’t sign in' }[verdict];
  return html`<section aria-labelledby="verdict">
      <h2 class="section-title" id="verdict">Decision</h2>
      ${notice(verdict === 'admit' ? 'done' : 'error', why(explanation), `${displayName(person)} ${words}`)}
    </section>
    <section aria-labelledby="checks">
      <h2 class="section-title" id="checks">What we checked</h2>
      ${checks(explanation)}
      <details class="more-ways">
        <summary>Technical details</summary>
        <p class="mono">The ${rule.guard} guard: ${formula(explanation)}</p>
      </details>
    </section>
    ${caseSection(explanation)}`;
}

function why({ verdict, rule, checks, authorized, adminContext }: Explanation): string {
  if (verdict === 'sign_in') return 'This person doesn’t have an active account.';
  if (authorized && (rule.guard === 'page' || adminContext)) return 'Their user type, role and cases allow it.';
  if (authorized) return 'Only staff can make changes here.';
  const reasons = failedChecks(checks);
  return verdict === 'admit' ? `${reasons}, but all staff can open this page.` : `${reasons}.`;
}

/** Names every check that failed, so that a missing case is not explained as a missing permission. */
function failedChecks({ userType, permission, category, caseAccess }: Explanation['checks']): string {
  const reasons = [
    ...(userType.holds ? [] : ['this isn’t for their user type']),
    ...(permission.holds && category.holds ? [] : ['their role doesn’t include this']),
    ...(caseAccess.holds ? [] : ['they don’t have access to this case']),
  ];
  return sentence(reasons.join(', and '));
}

function formula({ rule, checks: { userType, permission, category, caseAccess }, ...decision }: Explanation): Html {
  const a = html`A = type ${String(userType.holds)} and permission ${String(permission.holds)}
    and category ${String(category.holds)} and case ${String(caseAccess.holds)} = ${String(decision.authorized)};
    C = admin context = ${String(decision.adminContext)}.`;
  if (rule.guard === 'api') return html`${a} The API guard fails when not A or not C.`;
  return html`${a} The page guard fails when not A${decision.strict ? ' (strict)' : ' and not C'}.`;
}

const NOT_NEEDED = 'Not needed';

function permitted(permissions: readonly string[] | null): string {
  return permissions?.map(permissionWords).join(', ') ?? NOT_NEEDED;
}

function checks({ rule, checks: { userType, permission, category, caseAccess }, adminContext }: Explanation): Html {
  const types = (values: readonly UserType[] | null) => values?.map(userTypeInWords).join(', ') ?? '';
  const rows: [name: string, required: string, present: string, holds: boolean][] = [
    ['User type', types(userType.required), types(userType.present), userType.holds],
    ['Permission (any of)', permitted(permission.required), permitted(permission.present), permission.holds],
    ['Permission category', rule.options.category_check ?? NOT_NEEDED, category.present.join(', '), category.holds],
    [
      'Access to the case',
      caseAccess.required === null ? NOT_NEEDED : 'Needed',
      caseAccess.present.length > 0 ? 'Yes' : '',
      caseAccess.holds,
    ],
    ['Staff account', 'Needed for changes', adminContext ? 'Yes' : 'No', adminContext],
  ];
  const cells = rows.map(
    ([name, required, present, holds]) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td data-label="Needed">${required}</td>
        <td data-label="Found">${present || '–'}</td>
        <td data-label="Result">
          <span class="state-pill ${holds ? 'is-active' : 'is-refused'}">${holds ? 'Passed' : 'Not passed'}</span>
        </td>
      </tr>`,
  );
  return html`<div class="data-table-wrap">
    <table class="data-table is-stacked audit-diff">
      <thead>
        <tr>
          <th scope="col">Check</th>
          <th scope="col">Needed</th>
          <th scope="col">Found</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>${cells}</tbody>
    </table>
  </div>`;
}

function caseSection({ caseReasons }: Explanation): Html {
  if (caseReasons === null) return html``;
  const rows = Object.entries(caseReasons.reasons).map(
    ([name, holds]) => html`<dt>${CASE_REASONS[name as CaseAccessReason]}</dt><dd>${holds ? 'Yes' : 'No'}</dd>`,
  );
  return html`<section aria-labelledby="case">
    <h2 class="section-title" id="case">Access to ${caseReasons.case_name}</h2>
    <dl class="facts">${rows}</dl>
  </section>`;
}
