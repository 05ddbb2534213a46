import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import { permissionWords, type RoleGrant } from '@case-platform/modules/accounts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';

/** Role changes that wait for another administrator, each with the reader's buttons. */
export function roleGrants(frame: Frame<StaffActor>, grants: RoleGrant[]): Html {
  if (grants.length === 0) return html``;
  return html`<section aria-labelledby="grants">
    <h2 class="section-title" id="grants">Waiting for a second administrator</h2>
    <ul class="row-list panel">${grants.map((grant) => row(frame, grant))}</ul>
  </section>`;
}

/** The granted role in one line. */
export function grantWords({ user_name, role_name }: RoleGrant): string {
  return user_name === null ? `${role_name}: more permissions` : `${user_name}: ${role_name}`;
}

function row(frame: Frame<StaffActor>, grant: RoleGrant): Html {
  const { permissions, asked_by_name, asked_at } = grant;
  const what = permissions === null ? 'This role can move money' : permissions.map(permissionWords).join(', ');
  return html`<li class="list-row is-plain">
    <span class="row-who">${grantWords(grant)}</span>
    <span class="row-when">${timeElement(asked_at, frame.clock)}</span>
    <span class="row-what quiet">${what}</span>
    <span class="row-state"><span class="state-pill is-waiting">Not active yet</span></span>
    <span class="row-note">Asked by ${asked_by_name}${next(frame, grant)}</span>
  </li>`;
}

function next(frame: Frame<StaffActor>, grant: RoleGrant): Html {
  const nobody = grant.has_second ? '' : ' Nobody can do that right now. It takes another person who manages roles.';
  const form = (path: string, words: string, look: string, mark: HtmlValue = null) =>
    html`<form method="post" action="/roles/grants/${grant.id}/${path}">
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${grant.version}">
      <button class="btn btn-sm ${look}" type="submit">${mark}${words}</button>
    </form>`;
  const refuse = form('refuse', grant.is_own ? 'Take it back' : 'Refuse', 'btn-ghost');
  if (!grant.may_decide) {
    const why = grant.is_own ? 'You asked for this' : 'This is for you';
    return html`<br>${why}, so another administrator has to confirm it.${nobody}<span class="button-line">${refuse}</span>`;
  }
  return html`<span class="button-line">${form('confirm', 'Confirm', 'btn-primary', icon('shield-check'))}${refuse}</span>`;
}
