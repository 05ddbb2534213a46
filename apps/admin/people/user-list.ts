import { type Html, html } from '@case-platform/lib/html';
import { displayName, USER_STATUSES, type UserStatus, type UserSummary } from '@case-platform/modules/accounts';
import { SEARCH_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import { USER_TYPES, userTypeInWords } from '@case-platform/words/user-types';
import { options } from '../form/fields.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { userState, userStateWords } from '../page/user-state.ts';

export interface UserListQuery {
  q?: string | undefined;
  user_type?: UserType | undefined;
  status?: UserStatus | undefined;
  agency_id?: number | undefined;
  role_id?: number | undefined;
  cursor?: number | undefined;
}

interface UserList {
  users: UserSummary[];
  next_cursor: number | null;
  agencies: { id: number; name: string }[];
  roles: { id: number; name: string }[];
  query: UserListQuery;
}

/** Everyone who has a record, newest first. */
export function userListPage(frame: Frame<StaffActor>, list: UserList): Html {
  const { users, next_cursor, query } = list;
  const invite = frame.actor.admin.can('edit_users')
    ? html`<a class="btn btn-primary page-action" href="/users/new">${icon('plus')}Invite a person</a>`
    : '';
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <h1 class="page-title">People</h1>
      ${invite}
      <p class="page-lead">Everyone who can sign in. Someone with several roles has a record for each.</p>
    </header>
    ${filters(frame, list)}
    ${
      users.length === 0
        ? html`<div class="panel">
          ${emptyState(
            'search',
            'No matching people',
            maySeeContacts(frame.actor)
              ? 'Try the start of a name or address, or other filters.'
              : 'Try the start of a name, or other filters.',
          )}
        </div>`
        : table(frame, users)
    }
    ${pager({
      path: (cursor) => listAddress('/users', { ...query, cursor }),
      current: query.cursor,
      next: next_cursor,
      first: 'First page',
      more: 'Next page',
    })}
  </div>`;
  return shellPage(frame, { title: 'People', content });
}

function table(frame: Frame<StaffActor>, users: UserSummary[]): Html {
  const maySee = maySeeContacts(frame.actor);
  const rows = users.map((user) => {
    const { id, email_address, user_type, status, last_sign_in_at } = user;
    const belongs = user.agency_name ?? user.role_name;
    return html`<tr>
      <td data-label="Person" class="cell-wide">
        <a class="link" href="/users/${id}">${displayName(user)}</a>
        ${maySee ? html`<span class="cell-note">${email_address}</span>` : ''}
      </td>
      <td data-label="Role">
        ${userTypeInWords(user_type)}
        ${belongs === null ? '' : html`<span class="cell-note">${belongs}</span>`}
      </td>
      <td data-label="State">${status === 'active' ? html`<span class="quiet">Active</span>` : userState(status)}</td>
      ${
        maySee
          ? html`<td data-label="Last sign-in" class="is-number">
            ${
              last_sign_in_at === null
                ? html`<span class="quiet">Never signed in</span>`
                : timeElement(last_sign_in_at, frame.clock)
            }
          </td>`
          : ''
      }
    </tr>`;
  });
  return dataTable(['Person', 'Role', 'State', maySee && numberHeading('Last sign-in')], rows, 'is-list');
}

function filters(frame: Frame<StaffActor>, { agencies, roles, query }: UserList): Html {
  const words = maySeeContacts(frame.actor) ? 'name or email address' : 'name';
  const { q, user_type, status, agency_id, role_id } = query;
  const types = USER_TYPES.map((type) => ({ id: type, name: userTypeInWords(type) }));
  const states = USER_STATUSES.map((state) => ({ id: state, name: userStateWords(state) }));
  return html`<form class="filter-bar" method="get" action="/users" role="search">
    ${filter('user_type', 'Role', 'All roles', types, user_type)}
    ${filter('status', 'State', 'All states', states, status)}
    ${agencies.length === 0 ? '' : filter('agency_id', 'Agency', 'All agencies', agencies, agency_id)}
    ${roles.length === 0 ? '' : filter('role_id', 'Staff role', 'All staff roles', roles, role_id)}
    <div class="search-box">
      <label class="input">
        <span class="sr-only">Search by ${words}</span>
        ${icon('search')}
        <input
          type="search"
          name="q"
          value="${q}"
          maxlength="${SEARCH_MAX}"
          placeholder="${words === 'name' ? 'Name' : 'Name or email address'}"
        >
      </label>
    </div>
    <button class="btn btn-sm" type="submit" data-without-script>Show</button>
  </form>`;
}

function filter(
  name: string,
  label: string,
  all: string,
  choices: { id: string | number; name: string }[],
  value: string | number | undefined,
): Html {
  return html`<label>
    <span class="sr-only">${label}</span>
    <select class="select select-sm" name="${name}" data-submit-on-change>
      <option value="">${all}</option>
      ${options(choices, value)}
    </select>
  </label>`;
}
