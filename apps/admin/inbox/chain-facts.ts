import { type Html, html } from '@case-platform/lib/html';
import type { StaffMember } from '@case-platform/modules/accounts';
import type { Chain, ChainParticipant } from '@case-platform/modules/messaging';
import { userTypeInWords } from '@case-platform/words/user-types';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { fieldAttributes, fieldError, refusedAt } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { personLine } from '../page/person.ts';
import { csrfField } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { outsiders } from '../page/words.ts';

interface Facts {
  chain: Chain;
  caseName: string | undefined;
  /** The people who may own the chain; null for a reader who may not assign it. */
  staff: readonly StaffMember[] | null;
  refused: RefusedForm | undefined;
}

/** The state, owner, case and people of a chain: beside it on a desktop, over it on a phone. */
export function chainFacts(frame: Frame<StaffActor>, { chain, caseName, staff, refused }: Facts): Html {
  const people = outsiders(chain);
  const state =
    chain.status === 'open' ? html`<span class="state-pill is-active">Open</span>` : html`<span class="state-pill">Closed</span>`;
  const caseLine =
    chain.case_id === null
      ? html`<span class="quiet">Not about a case</span>`
      : html`<a class="link" href="/cases/${chain.case_id}">${caseName}</a>`;
  return html`<aside class="chain-facts" id="facts" popover aria-label="About this conversation">
    <div id="facts-inside" data-live>
      <h2>State</h2>
      <p>${state}</p>
      <h2>Owner</h2>
      ${owner(frame, chain)}
      ${staff === null ? '' : assignForms(frame, chain, { staff, refused })}
      <h2>Case</h2>
      <p>${caseLine}</p>
      <h2>With</h2>
      <ul class="people">${people.map((person) => member(frame, chain, person, people.length > 1))}</ul>
      <h2>Started</h2>
      <p>${timeElement(chain.created_at, frame.clock)}</p>
    </div>
  </aside>`;
}

function owner({ actor }: Frame, chain: Chain): Html {
  const person = chain.participants.find(({ user_id }) => user_id === chain.assigned_admin_id);
  if (person === undefined) {
    return html`<p><span class="state-pill is-waiting">Nobody yet</span></p>
      <p class="quiet">Someone who can assign conversations will pick it up.</p>`;
  }
  const role = person.user_id === actor.user.id ? 'You' : 'Escrow specialist';
  return personLine(person.name, role, { staff: true, small: true });
}

function assignForms(
  frame: Frame<StaffActor>,
  { id, assigned_admin_id }: Chain,
  { staff, ...facts }: { staff: readonly StaffMember[]; refused: RefusedForm | undefined },
): Html {
  const action = `/messages/${id}/assign`;
  const refused = refusedAt(action, facts.refused);
  const me = frame.actor.user.id;
  const choices = staff.filter(({ id: admin, may_answer }) => may_answer || admin === assigned_admin_id);
  const option = ({ id: admin, name }: StaffMember) =>
    html`<option value="${admin}" ${admin === assigned_admin_id ? 'selected' : ''}>${name}</option>`;
  const quick = (value: number | '', words: string) =>
    html`<form method="post" action="${action}">
      ${csrfField(frame)}
      <input type="hidden" name="admin_id" value="${value}">
      <button class="message-action" type="submit">${words}</button>
    </form>`;
  return html`<form class="assign-form" method="post" action="${action}">
      ${csrfField(frame)}
      <label class="sr-only" for="assign">Assign to</label>
      <select class="select select-sm" ${fieldAttributes({ name: 'admin_id', id: 'assign' }, refused)}>
        ${choices.every(({ id: admin }) => admin !== assigned_admin_id) ? html`<option value="" selected>Choose who takes it</option>` : ''}
        ${choices.map(option)}
      </select>
      <button class="btn btn-sm" type="submit">Assign</button>
      ${fieldError('admin_id', refused, 'assign')}
    </form>
    <div class="assign-quick">
      ${assigned_admin_id === me ? '' : quick(me, 'Assign to me')}
      ${assigned_admin_id === null ? '' : quick('', 'Unassign')}
    </div>`;
}

function member(frame: Frame<StaffActor>, { id }: Chain, person: ChainParticipant, isGroup: boolean): Html {
  const { admin } = frame.actor;
  const mayRemove = isGroup && (admin.can('send_group_messages') || admin.can('reassign_threads'));
  const line = personLine(person.name, userTypeInWords(person.user_type), { small: true });
  if (!mayRemove) return html`<li>${line}</li>`;
  const removal = confirmDialog(frame, {
    id: `remove-${person.user_id}`,
    button: 'Remove',
    title: `Remove ${person.name} from this conversation?`,
    text: 'They’ll lose access to it right away. What they wrote stays for everyone else.',
    action: `/messages/${id}/people/${person.user_id}/remove`,
    yes: 'Remove',
    no: 'Cancel',
    look: 'message-action',
  });
  return html`<li class="flex items-center justify-between gap-2">${line}${removal}</li>`;
}
