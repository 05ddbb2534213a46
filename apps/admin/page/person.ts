import { type Html, html } from '@case-platform/lib/html';
import { initials } from '@case-platform/words/names';

/** A person's avatar. The name is always beside it. */
export function avatar(name: string, { staff = false, small = false } = {}): Html {
  return html`<span class="avatar-mark ${staff ? 'is-staff' : ''} ${small ? 'is-small' : ''}" aria-hidden="true">
    ${initials(name)}
  </span>`;
}

/** A person: initials, name and role in words. */
export function personLine(name: string, role: string, marks: { staff?: boolean; small?: boolean } = {}): Html {
  return html`<span class="person">
    ${avatar(name, marks)}
    <span><span class="person-name">${name}</span><span class="person-role">${role}</span></span>
  </span>`;
}
