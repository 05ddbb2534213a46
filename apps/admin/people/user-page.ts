import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import type { RoleGrant } from '@case-platform/modules/accounts';
import { displayName, type SignInRecord, type UserRecord, type WaitingAddress } from '@case-platform/modules/accounts';
import type { AuditRecord } from '@case-platform/modules/audit';
import type { CaseSummary } from '@case-platform/modules/cases';
import type { Duties } from '@case-platform/modules/messaging';
import type { Delivery } from '@case-platform/modules/notifications';
import type { OwnFiles } from '@case-platform/modules/storage';
import { browserWords } from '@case-platform/words/devices';
import { sizeWords } from '@case-platform/words/files';
import { sentence } from '@case-platform/words/sentence';
import { todaysZoneName } from '@case-platform/words/time-zones';
import { dayHeading } from '@case-platform/words/times';
import { userTypeInWords } from '@case-platform/words/user-types';
import { channelLabel, deliveryState } from '../deliveries/index.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { HIDDEN_PART, maySeeContacts } from '../page/contact-parts.ts';
import type { Frame } from '../page/frame.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { userState } from '../page/user-state.ts';
import { caseState } from '../page/words.ts';
import { roleGrants } from '../roles/index.ts';
import type { RoleToChoose } from './role-choice.ts';
import { userActions } from './user-actions.ts';
import { userEntryWords } from './user-words.ts';

interface UserView {
  user: UserRecord;
  /** The cases that the reader sees. */
  cases: CaseSummary[];
  /** Undefined, like the sign-ins, for readers who may not see contact details and sign-ins. */
  files: OwnFiles | undefined;
  signIns: SignInRecord[] | undefined;
  /** Messages sent to them; undefined for readers who may not see them. */
  deliveries: Delivery[] | undefined;
  /** Changes of the record; undefined for readers who may not see them. */
  entries: AuditRecord[] | undefined;
  roles: RoleToChoose[];
  /** A role of theirs that waits for another administrator. */
  grants: RoleGrant[];
  /** For staff: what somebody else would have to take over. */
  duties: Duties | undefined;
  /** A new address that becomes valid when its owner follows the link. */
  waitingAddress: WaitingAddress | null;
  /** Whether their role allows something that the reader's does not. Then the reader cannot change their account. */
  isStronger: boolean;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** One person's record: their details, account, cases, sign-ins and deliveries. */
export function userPage(frame: Frame<StaffActor>, view: UserView): Html {
  const { user, done, refused } = view;
  const name = displayName(user);
  const edit =
    frame.actor.admin.can('edit_users') && !view.isStronger
      ? html`<a class="btn page-action" href="/users/${user.id}/edit">Change</a>`
      : '';
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      ${backLink('/users', 'Back to all people')}
      <h1 class="page-title">${name}</h1>
      ${edit}
      <p class="page-lead">${userTypeInWords(user.user_type)} ${userState(user.status)}</p>
    </header>
    ${formNotices({ done, refused })}
    ${roleGrants(frame, view.grants)}
    <div class="page-columns">
      ${userActions(frame, view)}
      <div>
        ${facts(frame, view)}
        ${identitySection(frame, view)}
        ${caseSection(view.cases)}
        ${signInSection(frame, view.signIns)}
        ${deliverySection(frame, view)}
        ${historySection(frame, view)}
      </div>
    </div>
  </div>`;
  return shellPage(frame, { title: name, content });
}

function facts(frame: Frame<StaffActor>, { user, waitingAddress }: UserView): Html {
  const fact = (name: string, value: HtmlValue) => html`<dt>${name}</dt><dd>${value}</dd>`;
  const { agency_id, agency_name, user_type, role_name } = user;
  const maySee = maySeeContacts(frame.actor);
  const phone = !maySee
    ? HIDDEN_PART
    : user.phone === null
      ? html`<span class="quiet">None</span>`
      : html`<span class="mono">${user.phone}</span>`;
  const agency = agency_id === null ? '' : fact('Agency', html`<a class="link" href="/agencies/${agency_id}">${agency_name}</a>`);
  const role =
    user_type === 'admin'
      ? fact(
          'Staff role',
          role_name === null
            ? html`<span class="quiet">None</span>`
            : html`<a class="link" href="/roles/${user.admin_role_id}">${role_name}</a>`,
        )
      : '';
  return html`<section aria-labelledby="who">
    <h2 class="section-title" id="who">Details</h2>
    <dl class="facts">
      ${fact('Email address', maySee ? user.email_address : HIDDEN_PART)}
      ${
        waitingAddress === null
          ? ''
          : fact('New email address', html`${waitingAddress.new_address}<span class="cell-note">Not confirmed yet</span>`)
      }
      ${fact('Phone', phone)}
      ${agency}
      ${role}
      ${bankAccount(frame, user)}
      ${fact('Time zone', todaysZoneName(user.timezone))}
      ${fact('Number', html`<span class="mono">${user.id}</span>`)}
      ${fact('Added', timeElement(user.created_at, frame.clock, dayHeading(user.created_at, frame.clock)))}
    </dl>
  </section>`;
}

function identitySection(frame: Frame<StaffActor>, view: UserView): Html {
  const { user, files } = view;
  if (files === undefined) return html``;
  const { profile_picture_url, profile_picture_state, photo_id } = files;
  // Until the worker has processed it, a picture may still say where it was taken.
  const picture = profile_picture_state === 'clean' ? profile_picture_url : null;
  if (user.user_type === 'admin' && picture === null && photo_id === null) return html``;
  const portrait =
    picture === null
      ? ''
      : html`<img class="portrait" src="${picture}" width="96" height="96" alt="Portrait of ${displayName(user)}">`;
  return html`<section aria-labelledby="identity">
    <h2 class="section-title" id="identity">Identity</h2>
    <div class="identity">${portrait}${photoId(frame, user, photo_id)}</div>
  </section>`;
}

function photoId({ actor, clock }: Frame<StaffActor>, user: UserRecord, photo_id: OwnFiles['photo_id']): Html {
  if (photo_id === null) return html`<p class="quiet">No photo ID yet.</p>`;
  const { filename, size, uploaded_at } = photo_id;
  const note = html`Photo ID, ${sizeWords(size)}, added ${timeElement(new Date(uploaded_at), clock)}.`;
  if (!actor.admin.can('view_users')) return html`<p class="quiet">${note}</p>`;
  return html`<p>
    <a class="link" href="/users/${user.id}/photo-id" rel="noopener">${filename}</a><br>
    <span class="quiet">${note} We log each time someone opens it.</span>
  </p>`;
}

/** A link to the bank account, for readers who may see it, if the person can be paid. */
function bankAccount({ actor: { admin } }: Frame<StaffActor>, { id, user_type, status }: UserRecord): Html {
  const maySee = admin.can('view_bank_accounts') || admin.can('edit_bank_accounts');
  if (!maySee || user_type === 'admin' || status !== 'active') return html``;
  return html`<dt>Bank account</dt>
    <dd><a class="link" href="/bank-accounts/${id}">See bank account</a></dd>`;
}

function caseSection(cases: CaseSummary[]): Html {
  const rows = cases.map(
    ({ id, name, status }) =>
      html`<li>
        <a class="list-row is-plain" href="/cases/${id}">
          <span class="row-who">${name}</span>
          <span class="row-when">${caseState(status)}</span>
          <span class="row-what quiet">#${id}</span>
        </a>
      </li>`,
  );
  const list =
    cases.length === 0 ? html`<p class="quiet">Not on any of your cases.</p>` : html`<ul class="row-list panel">${rows}</ul>`;
  return html`<section aria-labelledby="cases"><h2 class="section-title" id="cases">Cases</h2>${list}</section>`;
}

function signInSection(frame: Frame, signIns: SignInRecord[] | undefined): Html {
  if (signIns === undefined) return html``;
  const rows = signIns.map(
    ({ layer, ip_address, user_agent, signed_in_at }) => html`<li class="list-row is-plain">
      <span class="row-who">${browserWords(user_agent)}</span>
      <span class="row-when">${timeElement(signed_in_at, frame.clock)}</span>
      <span class="row-what quiet">
        ${layer === 'admin' ? 'Staff application' : 'Web or API'}${ip_address === null ? '' : `, from ${ip_address}`}
      </span>
    </li>`,
  );
  const list = signIns.length === 0 ? html`<p class="quiet">Never signed in.</p>` : html`<ul class="row-list panel">${rows}</ul>`;
  return html`<section aria-labelledby="sign-ins"><h2 class="section-title" id="sign-ins">Recent sign-ins</h2>${list}</section>`;
}

function deliverySection(frame: Frame, { deliveries, user }: UserView): Html {
  if (deliveries === undefined) return html``;
  const rows = deliveries.map(
    ({ id, channel, subject, event, state, created_at }) => html`<li>
      <a class="list-row is-plain" href="/deliveries/${id}">
        <span class="row-who">${subject || sentence(event)}</span>
        <span class="row-when">${timeElement(created_at, frame.clock)}</span>
        <span class="row-what quiet">${channelLabel(channel)}</span>
        <span class="row-state">${deliveryState(state)}</span>
      </a>
    </li>`,
  );
  const list =
    deliveries.length === 0
      ? html`<p class="quiet">Nothing sent yet.</p>`
      : html`<ul class="row-list panel">${rows}</ul>
        <p class="mt-3"><a class="link" href="/deliveries?user_id=${user.id}">All messages sent</a></p>`;
  return html`<section aria-labelledby="deliveries">
    <h2 class="section-title" id="deliveries">Emails, texts and notifications</h2>
    ${list}
  </section>`;
}

function historySection(frame: Frame, { entries, user }: UserView): Html {
  if (entries === undefined) return html``;
  const rows = entries.map(({ id, action, actor_id, actor_name, happened_at }) => {
    const who = actor_id === user.id ? 'This person' : (actor_name ?? 'Automatic');
    return html`<li>
      <a class="list-row is-plain" href="/audit/${id}">
        <span class="row-who">${userEntryWords(action)}</span>
        <span class="row-when">${timeElement(happened_at, frame.clock)}</span>
        <span class="row-what quiet">${who}</span>
      </a>
    </li>`;
  });
  const list =
    entries.length === 0
      ? html`<p class="quiet">No changes yet.</p>`
      : html`<ul class="row-list panel">${rows}</ul>
        <p class="mt-3"><a class="link" href="/audit?kind=user&amp;subject_id=${user.id}">All changes</a></p>`;
  return html`<section aria-labelledby="history"><h2 class="section-title" id="history">Changes</h2>${list}</section>`;
}
