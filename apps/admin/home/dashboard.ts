import { type Html, html } from '@case-platform/lib/html';
import type { RoleGrant } from '@case-platform/modules/accounts';
import { displayName } from '@case-platform/modules/accounts';
import type { ReturnFileSummary, WaitingBatch } from '@case-platform/modules/banking';
import type { CaseSummary, ClosingCase } from '@case-platform/modules/cases';
import type { Disbursement, PaymentStop } from '@case-platform/modules/disbursements';
import type { CashEntry } from '@case-platform/modules/ledger';
import type { Chain } from '@case-platform/modules/messaging';
import { counted } from '@case-platform/words/counts';
import { greetingWords } from '@case-platform/words/greeting';
import { sentence } from '@case-platform/words/sentence';
import { accountChangeCards, arrival, type ChangedRequest } from '../disbursements/index.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { chainRows } from '../inbox/index.ts';
import type { Frame } from '../page/frame.ts';
import { type IconName, icon } from '../page/icons.ts';
import { money } from '../page/money.ts';
import { shellPage } from '../page/shell.ts';
import { dayElement, timeElement } from '../page/times.ts';
import { caseState } from '../page/words.ts';
import { grantWords } from '../roles/index.ts';

interface Dashboard {
  /** The newest; null for readers whose role reads no messages. */
  unreadChains: Chain[] | null;
  unreadChainCount: number;
  caseNames: ReadonlyMap<number, string>;
  /** Disbursements that wait for the reader's decision. */
  approvals: { data: Disbursement[]; next_cursor: string | null };
  /** Those of them that were approved for an account that the payee has since replaced; a card shows them (BANK-9). */
  changedRequests: ChangedRequest[];
  /** Payments of the reader’s cases that the bank sent back, for those who may pay them again. */
  sentBack: Disbursement[];
  /** Stops of payments on the reader’s cases that wait for the escrow specialist (BANK-10). */
  stops: PaymentStop[];
  /** Batches to approve or sign; null for readers who have no part in batches. */
  batches: WaitingBatch[] | null;
  /** Deposits and refunds that the reader may confirm. */
  cash: CashEntry[];
  /** Return files that the reader may confirm. */
  returns: ReturnFileSummary[];
  /** Roles that may move money, granted by another administrator. */
  grants: RoleGrant[];
  /** Cases that the reader works on, the last changed first. */
  cases: CaseSummary[];
  /** Cases that the reader has to close soon. */
  closing: ClosingCase[];
  /** How many chains no one answers, at most 100; null for readers who do not assign them. */
  unassigned: number | null;
  /** How many deliveries failed, at most 100; null for readers who do not see them. */
  failed: number | null;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The work that waits for an admin, each part with a link to the full list. */
export function dashboardPage(frame: Frame<StaffActor>, dashboard: Dashboard): Html {
  const { admin, user } = frame.actor;
  const write = html`<a class="btn btn-primary page-action" href="/messages/new">${icon('plus')}Write a message</a>`;
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <h1 class="page-title">${greetingWords(frame.clock)}, ${user.first_name || displayName(user)}</h1>
      ${admin.can('view_messages') ? write : ''}
      <p class="page-lead">${leadWords(frame, dashboard)}</p>
    </header>
    ${formNotices(dashboard)}
    ${desk(dashboard)}
    <div class="home-columns">
      <div>
        ${stops(frame, dashboard)}
        ${accountChangeCards(frame, dashboard.changedRequests)}
        ${unread(frame, dashboard)}
        ${approvals(frame, dashboard)}
        ${sentBack(frame, dashboard)}
        ${batches(frame, dashboard)}
        ${cash(frame, dashboard)}
      </div>
      <div>${closing(frame, dashboard)}${cases(frame, dashboard)}</div>
    </div>
  </div>`;
  return shellPage(frame, { title: 'Dashboard', content });
}

function leadWords(
  { unread: messages }: Frame,
  {
    stops: alarms,
    unreadChainCount,
    approvals: { data },
    changedRequests,
    sentBack: back,
    batches,
    cash,
    returns,
    grants,
  }: Dashboard,
): string {
  const blockedBatches = (batches ?? []).filter(({ is_blocked }) => is_blocked);
  const openBatches = (batches ?? []).filter(({ is_blocked }) => !is_blocked);
  const waiting = [
    ...(alarms.length === 0 ? [] : [`${counted(alarms.length, 'person', 'people')} with stopped payments`]),
    ...(messages === 0 ? [] : [`${counted(messages, 'unread message')} in ${counted(unreadChainCount, 'conversation')}`]),
    ...(changedRequests.length === 0 ? [] : [`${counted(changedRequests.length, 'payment')} to a changed bank account`]),
    ...(data.length === 0 ? [] : [`${counted(data.length, 'request')} to approve`]),
    ...(back.length === 0 ? [] : [`${counted(back.length, 'payment')} sent back by the bank`]),
    ...(cash.length === 0 ? [] : [`${counted(cash.length, 'deposit or refund', 'deposits or refunds')} to confirm`]),
    ...(returns.length === 0 ? [] : [`${counted(returns.length, 'return file')} to confirm`]),
    ...(grants.length === 0 ? [] : [`${counted(grants.length, 'role change')} to confirm`]),
    ...(openBatches.length === 0 ? [] : [`${counted(openBatches.length, 'batch', 'batches')} to approve or sign`]),
    ...(blockedBatches.length === 0 ? [] : [counted(blockedBatches.length, 'blocked batch', 'blocked batches')]),
  ];
  return waiting.length === 0 ? 'Nothing is waiting for you.' : `${waiting.join(', ')}.`;
}

const upTo100 = (count: number) => (count >= 100 ? '100 or more' : String(count));

/** The work that waits for anyone on the staff, if there is any. */
function desk({ unassigned, failed }: Dashboard): Html {
  const line = (mark: IconName, href: string, words: string) =>
    html`<a class="desk-line" href="${href}">${icon(mark)}<span>${words}</span>${icon('chevron-right')}</a>`;
  const lines = [
    ...((unassigned ?? 0) === 0
      ? []
      : [
          line(
            'inbox',
            '/messages?assigned=nobody',
            `${upTo100(unassigned ?? 0)} ${unassigned === 1 ? 'conversation needs' : 'conversations need'} an owner`,
          ),
        ]),
    ...((failed ?? 0) === 0
      ? []
      : [
          line(
            'circle-alert',
            '/deliveries?state=failed',
            `${upTo100(failed ?? 0)} ${failed === 1 ? 'delivery has' : 'deliveries have'} failed`,
          ),
        ]),
  ];
  return lines.length === 0 ? html`` : html`<nav class="desk" aria-label="Waiting for someone">${lines}</nav>`;
}

function part(id: string, title: string, all: { href: string; words: string } | null, content: Html): Html {
  const link = all === null ? '' : html`<a class="link" href="${all.href}">${all.words}</a>`;
  return html`<section aria-labelledby="${id}">
    <h2 class="section-title" id="${id}">${title} ${link}</h2>
    <div class="panel">${content}</div>
  </section>`;
}

/** The line in a part while it is empty. */
function nothing(words: string): Html {
  return html`<p class="empty-line">${icon('circle-check')}<span>${words}</span></p>`;
}

function unread(frame: Frame, { unreadChains, caseNames }: Dashboard): Html {
  if (unreadChains === null) return html``;
  const all = { href: '/messages?show=unread', words: 'All unread' };
  const rows =
    unreadChains.length === 0
      ? nothing('You’re all caught up. New messages appear here.')
      : chainRows(frame, unreadChains, caseNames);
  return part('unread', 'Unread', all, rows);
}

function approvals(frame: Frame<StaffActor>, { approvals: { data, next_cursor }, changedRequests }: Dashboard): Html {
  if (data.length === 0 && (changedRequests.length > 0 || !frame.actor.admin.can('approve_drs'))) return html``;
  const rows = data.map(
    ({ id, description, category, case_name, amount_cents, submitted_by, submitted_at, whereabouts, covered }) => html`<li>
      <a class="list-row" href="/disbursements/${id}">
        <span class="row-who">${description}</span>
        <span class="row-when">${money(amount_cents)}</span>
        <span class="row-what quiet">${case_name}, ${sentence(category).toLowerCase()}</span>
        <span class="row-note">
          ${covered === false && html`<span class="over-benefit">Not covered</span> · `}Asked by
          ${submitted_by.name}${submitted_at !== null && html` · ${timeElement(submitted_at, frame.clock)}`}${
            whereabouts.arrives !== null && html` · ${arrival({ whereabouts }, frame.clock)}`
          }
        </span>
      </a>
    </li>`,
  );
  const list = rows.length === 0 ? nothing('No requests are waiting for you.') : html`<ul class="row-list">${rows}</ul>`;
  const title = next_cursor === null ? 'To approve' : `To approve, the newest ${data.length}`;
  return part('approvals', title, null, list);
}

/** First on the page, because nothing is paid to these people until someone has checked it. */
function stops(frame: Frame, { stops: alarms }: Dashboard): Html {
  if (alarms.length === 0) return html``;
  const rows = alarms.map(
    ({ disbursement_id, case_name, payee_name, raised_by_name, raised_at, reason }) => html`<li>
      <a class="list-row" href="/disbursements/${disbursement_id}#payment-stop">
        <span class="row-who">${payee_name}</span>
        <span class="row-when">${timeElement(raised_at, frame.clock)}</span>
        <span class="row-what quiet">${case_name}, raised by ${raised_by_name}: “${reason}”</span>
        <span class="row-state"><span class="state-pill is-waiting">To check</span></span>
      </a>
    </li>`,
  );
  return part('stops', 'Payments stopped', null, html`<ul class="row-list">${rows}</ul>`);
}

/** Returned payments: whose turn it is, and the way to pay each one again (RETURN-7, RETRY-1). */
function sentBack(frame: Frame, { sentBack: requests }: Dashboard): Html {
  if (requests.length === 0) return html``;
  const rows = requests.map(({ id, description, case_name, payee, amount_cents, return: back, returned_at }) => {
    const isOurs = back?.who_acts === 'staff';
    const turn = isOurs ? 'Your turn' : `Waiting for ${payee.name}`;
    return html`<li>
      <a class="list-row" href="/disbursements/${id}">
        <span class="row-who">${description}</span>
        <span class="row-when">${money(amount_cents)}</span>
        <span class="row-what quiet">${case_name}, to ${payee.name}. ${back?.reason ?? ''}</span>
        <span class="row-state"><span class="state-pill ${isOurs ? 'is-waiting' : ''}">${turn}</span></span>
        <span class="row-note">${returned_at === null ? '' : html`Sent back ${timeElement(returned_at, frame.clock)}`}</span>
      </a>
    </li>`;
  });
  const all = { href: '/disbursements?status=returned', words: 'All sent back' };
  return part('sent-back', 'Sent back by the bank', all, html`<ul class="row-list">${rows}</ul>`);
}

const BATCH_STEPS = { draft: 'Waiting for your approval', approved: 'Approved', generated: 'Waiting for your signature' };

function batches(frame: Frame, { batches: waiting }: Dashboard): Html {
  if (waiting === null) return html``;
  const rows = waiting.map(({ id, status, entry_count, total_cents, created_at, is_blocked }) => {
    const [words, look] = is_blocked ? ['Blocked', 'is-refused'] : [BATCH_STEPS[status], 'is-waiting'];
    return html`<li>
      <a class="list-row" href="/batches/${id}">
        <span class="row-who">Batch ${id}</span>
        <span class="row-when">${money(total_cents)}</span>
        <span class="row-what quiet">${counted(entry_count, 'payment')}</span>
        <span class="row-state"><span class="state-pill ${look}">${words}</span></span>
        <span class="row-note">Made ${timeElement(created_at, frame.clock)}</span>
      </a>
    </li>`;
  });
  const list = rows.length === 0 ? nothing('No batches are waiting for you.') : html`<ul class="row-list">${rows}</ul>`;
  const [first] = waiting;
  const one = first !== undefined && waiting.every(({ status }) => status === first.status);
  const all = one
    ? { href: `/batches?status=${first.status}`, words: 'All waiting batches' }
    : { href: '/batches', words: 'All batches' };
  return part('batches', 'Batches', all, list);
}

/** Entries and files of other people that the reader may confirm. */
function cash(frame: Frame, { cash: waiting, returns, grants }: Dashboard): Html {
  if (waiting.length + returns.length + grants.length === 0) return html``;
  const roles = grants.map(
    (grant) => html`<li>
      <a class="list-row" href="/roles">
        <span class="row-who">${grantWords(grant)}</span>
        <span class="row-when">${timeElement(grant.asked_at, frame.clock)}</span>
        <span class="row-what quiet">Role that can move money, granted by ${grant.asked_by_name}</span>
        <span class="row-state"><span class="state-pill is-waiting">To confirm</span></span>
      </a>
    </li>`,
  );
  const files = returns.map(
    ({ id, filename, uploaded_by_name, uploaded_at }) => html`<li>
      <a class="list-row" href="/batches/returns/${id}">
        <span class="row-who">${filename}</span>
        <span class="row-when">${timeElement(uploaded_at, frame.clock)}</span>
        <span class="row-what quiet">Return file, uploaded by ${uploaded_by_name}</span>
        <span class="row-state"><span class="state-pill is-waiting">To confirm</span></span>
      </a>
    </li>`,
  );
  const rows = waiting.map(
    ({ case_id, case_name, kind, amount_cents, recorded_by_name, recorded_at }) => html`<li>
      <a class="list-row" href="/cases/${case_id}/money">
        <span class="row-who">${sentence(kind)}, ${case_name}</span>
        <span class="row-when">${money(amount_cents)}</span>
        <span class="row-what quiet">Recorded by ${recorded_by_name} · ${timeElement(recorded_at, frame.clock)}</span>
        <span class="row-state"><span class="state-pill is-waiting">To confirm</span></span>
      </a>
    </li>`,
  );
  return part('cash', 'To confirm', null, html`<ul class="row-list">${rows}${files}${roles}</ul>`);
}

function closing(frame: Frame<StaffActor>, { closing: due }: Dashboard): Html {
  if (due.length === 0) return html``;
  const rows = due.map(
    ({ id, name, status, close_due_on }) => html`<li>
      <a class="list-row" href="/cases/${id}">
        <span class="row-who">${name}</span>
        <span class="row-when">${dayElement(close_due_on, frame.clock)}</span>
        <span class="row-what quiet">#${id}</span>
        <span class="row-state">${caseState(status)}</span>
      </a>
    </li>`,
  );
  const href = `/cases?specialist=${frame.actor.user.id}&due=soon`;
  return part('closing', 'Closing soon', { href, words: 'All closing soon' }, html`<ul class="row-list">${rows}</ul>`);
}

function cases(frame: Frame<StaffActor>, { cases: mine }: Dashboard): Html {
  const rows = mine.map(
    ({ id, name, status, updated_at }) => html`<li>
      <a class="list-row" href="/cases/${id}">
        <span class="row-who">${name}</span>
        <span class="row-when">${timeElement(updated_at, frame.clock)}</span>
        <span class="row-what quiet">#${id}</span>
        <span class="row-state">${caseState(status)}</span>
      </a>
    </li>`,
  );
  const list =
    rows.length === 0
      ? nothing('You have no cases yet. Cases you work on appear here.')
      : html`<ul class="row-list">${rows}</ul>`;
  return part('cases', 'Your cases', { href: '/cases?show=mine', words: 'All your cases' }, list);
}
