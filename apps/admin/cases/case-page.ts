import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import type { AgencyEventSeen, CaseDocument, CaseOutline, CasePerson, Milestone, TeamMember } from '@case-platform/modules/cases';
import type { BenefitNow } from '@case-platform/modules/disbursements';
import type { Chain, Page } from '@case-platform/modules/messaging';
import { agencyEvents } from '../agencies/index.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { chainRows } from '../inbox/index.ts';
import { backLink } from '../page/back-link.ts';
import { HIDDEN_PART } from '../page/contact-parts.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState, notice } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import { sinceElement } from '../page/times.ts';
import { caseState } from '../page/words.ts';
import { caseBenefits } from './case-benefits.ts';
import { caseDocuments } from './case-documents.ts';
import { CASE_EDITORS } from './case-edit-page.ts';
import { caseMilestones } from './case-milestones.ts';
import { type CaseMoney, caseMoney } from './case-money.ts';
import { caseFacts, casePeople } from './case-people.ts';

export interface CaseView {
  outline: CaseOutline;
  /** Whether the reader works on this case or may see all of them. */
  onCase: boolean;
  /**
   * Whether the check of the page's guard holds: the reader is on the case, and their role sees details; others see the
   * outline.
   */
  isOpen: boolean;
  people: CasePerson[];
  team: TeamMember[];
  /** The newest ones that the reader may see; null for readers whose role reads no messages. */
  chains: Page<Chain> | null;
  milestones: Milestone[];
  documents: CaseDocument[];
  /** Events from agencies' systems about it. */
  events: AgencyEventSeen[];
  money: Omit<CaseMoney, 'caseId'>;
  benefits: BenefitNow[];
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** A case: its people, chains, money, milestones and documents. */
export function casePage(frame: Frame<StaffActor>, view: CaseView): Html {
  const { outline, onCase, isOpen, done, refused } = view;
  const { id, name, status, created_at } = outline;
  const { admin } = frame.actor;
  const write = html`<a class="btn btn-primary page-action" href="/messages/new?case_id=${id}">
    ${icon('plus')}Write a message
  </a>`;
  const edit = html`<a class="btn page-action" href="/cases/${id}/edit">${icon('pencil')}Edit</a>`;
  const newDisbursement = onCase && admin.can('create_drs') ? `/cases/${id}/disbursements/new` : undefined;
  const mayEdit = onCase && CASE_EDITORS.some((permission) => admin.can(permission));
  const mayEditBenefits = onCase && admin.can('edit_benefits') && status !== 'closed' && status !== 'cancelled';
  const seesBenefits = isOpen || (onCase && admin.can('view_drs')) || mayEditBenefits;
  const seesMoney = isOpen || (onCase && (admin.can('view_drs') || admin.can('make_payments')));
  const parts = [
    seesMoney ? caseMoney(frame, { ...view.money, caseId: id, newDisbursement }) : '',
    conversations(frame, view),
    seesBenefits ? caseBenefits(frame, id, { ...view, mayEdit: mayEditBenefits }) : '',
    isOpen ? caseMilestones(frame, id, view) : '',
  ];
  const beside = [
    casePeople(frame, view),
    isOpen ? caseDocuments(frame, id, view.documents) : '',
    isOpen && view.events.length > 0 ? agencyEvents(frame, view.events, 'case') : '',
  ];
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      ${backLink('/cases', 'Back to all cases')}
      <h1 class="page-title">${name}</h1>
      ${mayEdit ? edit : ''}
      ${onCase && admin.can('view_messages') ? write : ''}
      <p class="page-lead">${caseState(status)} Case #${id}, opened ${sinceElement(created_at, frame.clock)}</p>
    </header>
    ${formNotices({ done, refused })}
    ${overviewNotice(view)}
    ${caseFacts(frame, view)}
    ${onThisPage([...parts, ...beside])}
    <div class="page-columns">
      <div>${parts}</div>
      <div>${beside}</div>
    </div>
  </div>`;
  return shellPage(frame, { title: name, content, scripts: ['uploads.js'] });
}

function overviewNotice({ onCase, isOpen }: CaseView): Html {
  if (isOpen) return html``;
  if (!onCase) return notice('info', 'You’re not on this case’s team, so you see an overview without conversations.');
  return notice('info', 'Your role can’t see the details of this case, so you see an overview.');
}

const PLACES = [
  ['money', 'Money'],
  ['calendar', 'Scheduled payments'],
  ['talk', 'Conversations'],
  ['benefits', 'Contract limits'],
  ['milestones', 'Milestones'],
  ['people', 'People'],
  ['documents', 'Documents'],
] as const;

/** Leads to the parts that this reader has. */
function onThisPage(parts: readonly HtmlValue[]): Html {
  const there = PLACES.filter(([id]) => parts.some((one) => String(one).includes(`id="${id}"`)));
  const links = there.map(([id, words]) => html`<a href="#${id}">${words}</a>`);
  return html`<nav class="page-places" aria-label="On this page">${links}</nav>`;
}

function conversations(frame: Frame, { outline: { id, name }, chains }: CaseView): Html {
  const part = (all: HtmlValue, inside: Html) =>
    html`<section aria-labelledby="talk"><h2 class="section-title" id="talk">Conversations ${all}</h2>${inside}</section>`;
  if (chains === null) return part(null, html`<p>${HIDDEN_PART}</p>`);
  const all = chains.next_cursor === null ? '' : html`<a class="link" href="/messages?case_id=${id}">All conversations</a>`;
  const rows =
    chains.data.length === 0
      ? emptyState(
          'messages-square',
          'No conversations',
          'You see conversations on cases whose team you’re on, and those assigned to you.',
        )
      : chainRows(frame, chains.data, new Map([[id, name]]));
  return part(all, html`<div class="panel">${rows}</div>`);
}
