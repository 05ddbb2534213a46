import { type Html, html } from '@case-platform/lib/html';
import { displayName, permissionWords, type UserRecord, type UserSummary } from '@case-platform/modules/accounts';
import type { CaseAccessReason } from '@case-platform/modules/cases';
import { CASE_NAME_MAX, SEARCH_MAX } from '@case-platform/words/limits';
import { namesInShort } from '@case-platform/words/names';
import { sentence } from '@case-platform/words/sentence';
import { type UserType, userTypeInWords } from '@case-platform/words/user-types';
import { options } from '../form/fields.ts';
import { dataTable } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { notice } from '../page/notice.ts';
import { listAddress } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { ACCESS_ACTIONS, accessActionWords } from './access-actions.ts';
import type { Explanation } from './explain-access.ts';

export interface AccessView {
  query: { person?: string; action?: string; case?: string };
  /** Suggestions for the two fields. */
  staff: readonly string[];
  cases: readonly string[];
  /** Those who match what was typed, if it is not one. */
  people: readonly UserSummary[];
  matchingCases: readonly { id: number; name: string }[];
  person: UserRecord | null;
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

/** Answers "Can NAME do this on CASE?" as the guards would, and says why (SHOWN-7). */
export function accessPage(frame: Frame, view: AccessView): Html {
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      <h1 class="page-title">Access</h1>
      <p class="page-lead">Check what someone can do, and why.</p>
    </header>
    ${question(view)}
    <div aria-live="polite">${answer(view)}</div>
  </div>`;
  const { person, query } = view;
  const title =
    person === null ? 'Access' : `Access of ${displayName(person)}: ${accessActionWords(query.action) ?? 'choose an action'}`;
  return shellPage(frame, { title, content });
}

function question({ query, staff, cases }: AccessView): Html {
  const names = (values: readonly string[]) => values.map((value) => html`<option value="${value}"></option>`);
  const actions = ACCESS_ACTIONS.map(
    ({ area, actions }) =>
      html`<optgroup label="${area}">
        ${options(
          actions.map(({ words, route }) => ({ id: route, name: words })),
          query.action,
        )}
      </optgroup>`,
  );
  return html`<form class="panel access-question" method="get" action="/access" role="search">
    <span aria-hidden="true">Can</span>
    <input
      class="input"
      name="person"
      value="${query.person}"
      list="access-people"
      maxlength="${SEARCH_MAX}"
      dir="auto"
      autocomplete="off"
      aria-label="Person"
      placeholder="Name of a person"
      required
    >
    <select class="select" name="action" aria-label="Action" required>
      <option value="">do this</option>
      ${actions}
    </select>
    <span aria-hidden="true">on</span>
    <input
      class="input"
      name="case"
      value="${query.case}"
      list="access-cases"
      maxlength="${CASE_NAME_MAX}"
      dir="auto"
      autocomplete="off"
      aria-label="Case"
      placeholder="Name or number"
    >
    <span aria-hidden="true">?</span>
    <button class="btn btn-primary" type="submit">Check</button>
    <datalist id="access-people">${names(staff)}</datalist>
    <datalist id="access-cases">${names(cases)}</datalist>
  </form>`;
}

function answer({ query, person, people, matchingCases, needsCase, explanation }: AccessView): Html {
  if (query.person === undefined) return html``;
  if (person === null) {
    if (people.length === 0)
      return notice('info', 'No one matches this name. Check the spelling, or enter the number of the person.');
    const items = people.map((one) => choice(query, { person: String(one.id) }, displayName(one), personNote(one)));
    return choices('Which person?', items);
  }
  if (needsCase) {
    if (query.case === undefined) return notice('waiting', 'This depends on the case. Choose one.');
    if (matchingCases.length === 0) return notice('info', 'No case matches this name. Enter its number.');
    return choices(
      'Which case?',
      matchingCases.map(({ id, name }) => choice(query, { case: String(id) }, name, `Case number ${id}`)),
    );
  }
  const action = accessActionWords(query.action);
  if (explanation === null || action === undefined) return notice('info', 'Choose what they want to do.');
  const { verdict, rule, caseReasons } = explanation;
  const onCase = rule.options.case_id === undefined || caseReasons === null ? '' : ` on ${caseReasons.case_name}`;
  const title = `${displayName(person)} ${verdict === 'admit' ? 'can' : 'can’t'} ${action}${onCase}`;
  return html`${notice(verdict === 'admit' ? 'done' : 'error', why(explanation), title)}
    ${causes(explanation)}
    <details class="more-ways">
      <summary>Technical details</summary>
      <div>
        ${checks(explanation)}
        ${caseSection(explanation)}
        <p class="mono">${query.action}. The ${rule.guard} guard: ${formula(explanation)}</p>
      </div>
    </details>`;
}

function personNote({ user_type, agency_name, role_name }: UserSummary): string {
  return [userTypeInWords(user_type), role_name ?? agency_name ?? ''].filter(Boolean).join(', ');
}

function choices(title: string, items: Html[]): Html {
  return html`<section aria-labelledby="choices">
    <h2 class="section-title" id="choices">${title}</h2>
    <ul class="panel row-list">${items}</ul>
  </section>`;
}

function choice(query: AccessView['query'], change: AccessView['query'], name: string, note: string): Html {
  return html`<li>
    <a class="list-row" href="${listAddress('/access', { ...query, ...change })}">
      <span class="row-who">${name}</span><span class="row-note">${note}</span>
    </a>
  </li>`;
}

function why({ verdict, rule, checks, authorized, adminContext }: Explanation): string {
  if (verdict === 'sign_in') return 'They can’t sign in.';
  if (authorized && (rule.guard === 'page' || adminContext)) return 'Their user type, role, and cases allow it.';
  if (authorized) return 'Only staff can make changes here.';
  const reasons = failedChecks(checks);
  return verdict === 'admit' ? `${reasons}, but all staff can open this page. It hides what they may not see.` : `${reasons}.`;
}

/** Names every check that failed, so that a missing case is not explained as a missing permission. */
function failedChecks({ userType, permission, category, caseAccess }: Explanation['checks']): string {
  if (!userType.holds) return 'This isn’t for their user type';
  const reasons = [
    ...(permission.holds && category.holds ? [] : ['their role doesn’t include this']),
    ...(caseAccess.holds ? [] : ['they don’t have access to this case']),
  ];
  return sentence(reasons.join(', and '));
}

/** Lists what decides the answer, and who can change it. */
function causes({ authorized, causes }: Explanation): Html {
  if (causes.length === 0) return html``;
  const items = causes.map(({ words, page, who }) => {
    const names =
      who.length === 0 ? (page === null ? '' : 'No one can change this now.') : `${namesInShort(who)} can change this.`;
    return html`<li class="list-row">
      <span class="row-what">${words}</span>
      <span class="row-note">${names} ${page === null ? '' : html`<a class="link" href="${page.href}">${page.name}</a>`}</span>
    </li>`;
  });
  return html`<section aria-labelledby="causes">
    <h2 class="section-title" id="causes">${authorized ? 'What allows it' : 'What would change this'}</h2>
    <ul class="panel row-list access-causes">${items}</ul>
  </section>`;
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
  return dataTable(['Check', 'Needed', 'Found', 'Result'], cells, 'audit-diff');
}

function caseSection({ caseReasons }: Explanation): Html {
  if (caseReasons === null) return html``;
  const rows = Object.entries(caseReasons.reasons).map(
    ([name, holds]) => html`<dt>${CASE_REASONS[name as CaseAccessReason]}</dt><dd>${holds ? 'Yes' : 'No'}</dd>`,
  );
  return html`<h3 class="section-title">Access to ${caseReasons.case_name}</h3>
    <dl class="facts">${rows}</dl>`;
}
