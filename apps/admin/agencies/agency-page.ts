import { type Html, html } from '@case-platform/lib/html';
import { type AgencyKey, type AgencyPerson, type AgencySummary, displayName } from '@case-platform/modules/accounts';
import type { AgencyEventSeen } from '@case-platform/modules/cases';
import { AGENCY_NAME_MAX } from '@case-platform/words/limits';
import { userTypeInWords } from '@case-platform/words/user-types';
import { formNotices, refusedAt, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { copyButton } from '../page/copy-button.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { personLine } from '../page/person.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { sinceElement, timeElement, timeElementInText } from '../page/times.ts';
import { agencyEvents } from './agency-events.ts';

interface AgencyView {
  agency: AgencySummary;
  keys: AgencyKey[];
  people: AgencyPerson[];
  /** Events from its systems, except about cases that the reader does not see. */
  events: AgencyEventSeen[];
  /** A key that was just issued: shown only on this page. */
  issued?: { id: number; key: string } | undefined;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** Two keys may be live at once, so that a new one can replace the old one without a gap. */
const LIVE_MAX = 2;

/** An agency: its keys, and who works there. */
export function agencyPage(frame: Frame<StaffActor>, view: AgencyView): Html {
  const { agency, people, issued, done, refused } = view;
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      ${backLink('/agencies', 'Back to all agencies')}
      <h1 class="page-title">${agency.name}</h1>
      <p class="page-lead">Number ${agency.id}, with us since ${sinceElement(agency.created_at, frame.clock)}</p>
    </header>
    ${formNotices({ done, refused })}
    ${issued === undefined ? '' : issuedKey(issued.key)}
    ${frame.actor.admin.can('edit_agencies') ? renameForm(frame, agency, refused) : ''}
    <div class="page-columns">
      ${keySection(frame, view)}
      <section aria-labelledby="people">
        <h2 class="section-title" id="people">People</h2>
        ${
          people.length === 0
            ? html`<p class="quiet">No people yet.</p>`
            : html`<ul class="people panel">
              ${people.map((person) => html`<li>${personLine(displayName(person), userTypeInWords(person.user_type))}</li>`)}
            </ul>`
        }
      </section>
    </div>
    ${frame.actor.admin.can('view_agencies') ? agencyEvents(frame, view.events, 'agency') : ''}
  </div>`;
  return shellPage(frame, { title: agency.name, content });
}

function renameForm(frame: Frame, { id, name }: AgencySummary, anyRefused: RefusedForm | undefined): Html {
  const action = `/agencies/${id}/name`;
  const refused = refusedAt(action, anyRefused);
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>Rename</summary>
    <form class="inline-form" method="post" action="${action}" data-busy-words="Saving…">
      ${csrfField(frame)}
      ${textField({ name: 'name', label: 'Name', value: name, max: AGENCY_NAME_MAX }, refused)}
      <button class="btn" type="submit">Save name</button>
    </form>
  </details>`;
}

function issuedKey(key: string): Html {
  return html`<div class="panel padded issued-key" role="status">
    <p class="notice-title">${icon('key-round')}The new key</p>
    <p class="secret-line">
      <code class="mono" id="issued-key">${key}</code>
      ${copyButton('issued-key', { look: 'btn btn-sm btn-primary' })}
    </p>
    <p class="quiet">We show it only once and can’t recover it. Share it with the agency securely, never by email.</p>
  </div>`;
}

function keySection(frame: Frame<StaffActor>, { agency, keys, issued }: AgencyView): Html {
  const mayEdit = frame.actor.admin.can('edit_agencies');
  const live = keys.filter((key) => key.revoked_at === null);
  const endedKeys = keys.filter((key) => key.revoked_at !== null);
  const issue = html`<form class="mt-3" method="post" action="/agencies/${agency.id}/keys" data-busy-words="Issuing…">
    ${csrfField(frame)}
    <button class="btn btn-primary" type="submit">${icon('plus')}Issue a key</button>
  </form>`;
  const full = html`<p class="quiet mt-3">An agency can have two live keys. Revoke one to issue another.</p>`;
  const list =
    live.length === 0
      ? html`<div class="panel">
        ${emptyState('key-round', 'No live key', 'Without one, the agency’s systems can’t connect.')}
      </div>`
      : html`<ul class="row-list panel">
        ${live.map((key) => liveKey(frame, agency, key, { mayEdit, isNew: key.id === issued?.id }))}
      </ul>`;
  const past = html`<details class="more-ways">
    <summary>Revoked keys (${endedKeys.length})</summary>
    <ul class="row-list panel">${endedKeys.map((key) => endedKey(frame, key))}</ul>
  </details>`;
  return html`<section aria-labelledby="keys">
    <h2 class="section-title" id="keys">Keys</h2>
    ${list}
    ${mayEdit ? (live.length < LIVE_MAX ? issue : full) : ''}
    ${endedKeys.length === 0 ? '' : past}
  </section>`;
}

function liveKey(
  frame: Frame<StaffActor>,
  agency: AgencySummary,
  key: AgencyKey,
  { mayEdit, isNew }: { mayEdit: boolean; isNew: boolean },
): Html {
  const { id, created_at, last_used_at } = key;
  const pill = isNew ? html`<span class="state-pill is-active">New</span>` : html`<span class="state-pill">Live</span>`;
  const lastUse = last_used_at === null ? 'Never used' : html`Last used ${timeElementInText(last_used_at, frame.clock)}`;
  const dialog = `revoke-${id}`;
  const revoke = html`<button class="btn btn-sm" type="button" popovertarget="${dialog}">Revoke</button>
    <div class="confirm-dialog" id="${dialog}" popover role="alertdialog" aria-labelledby="${dialog}-title">
      <h3 class="confirm-title" id="${dialog}-title">Revoke key ${id}?</h3>
      <p class="confirm-text">
        ${last_used_at === null ? 'It was never used.' : html`It was last used ${timeElementInText(last_used_at, frame.clock)}.`}
        ${agency.name}’s systems can no longer use it. You can’t undo this.
      </p>
      <form class="confirm-actions" method="post" action="/agencies/${agency.id}/keys/${id}/revoke">
        ${csrfField(frame)}
        <button class="btn btn-ghost" type="button" popovertarget="${dialog}" popovertargetaction="hide">Cancel</button>
        <button class="btn btn-error" type="submit">Revoke key ${id}</button>
      </form>
    </div>`;
  return html`<li class="list-row key-row is-plain">
    <span class="row-who">Key ${id} ${pill}</span>
    <span class="row-what quiet">Issued ${timeElementInText(created_at, frame.clock)}. ${lastUse}.</span>
    <span class="key-action">${mayEdit ? revoke : ''}</span>
  </li>`;
}

function endedKey(frame: Frame, { id, created_at, revoked_at }: AgencyKey): Html {
  const until = revoked_at === null ? '' : timeElement(revoked_at, frame.clock);
  return html`<li class="list-row key-row is-plain">
    <span class="row-who">Key ${id} <span class="state-pill">Revoked</span></span>
    <span class="row-what quiet">From ${timeElementInText(created_at, frame.clock)} to ${until}</span>
  </li>`;
}
