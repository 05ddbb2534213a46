import { type Html, html } from '@case-platform/lib/html';
import type { RoleGrant, RoleSummary } from '@case-platform/modules/accounts';
import { counted } from '@case-platform/words/counts';
import { ROLE_NAME_MAX } from '@case-platform/words/limits';
import { formNotices, refusedAt, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { roleGrants } from './role-grants.ts';

interface RoleListView {
  roles: RoleSummary[];
  /** Role changes that wait for another administrator. */
  grants: RoleGrant[];
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The roles of staff, and a form for another one. */
export function roleListPage(frame: Frame<StaffActor>, { roles, grants, done, refused }: RoleListView): Html {
  const mayEdit = frame.actor.admin.can('manage_roles');
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <h1 class="page-title">Roles</h1>
      <p class="page-lead">What staff can do. Each person has one role. Changes work right away.</p>
    </header>
    ${formNotices({ done, refused })}
    ${roleGrants(frame, grants)}
    ${
      roles.length === 0
        ? html`<div class="panel">
          ${emptyState('shield-check', 'No roles yet', 'Without a role, staff can sign in and look around but change nothing.')}
        </div>`
        : table(roles)
    }
    ${mayEdit ? addForm(frame, refused) : ''}
  </div>`;
  return shellPage(frame, { title: 'Roles', content });
}

function table(roles: RoleSummary[]): Html {
  const rows = roles.map(
    ({ id, name, people, permissions }) => html`<tr>
      <td data-label="Role" class="cell-wide"><a class="link" href="/roles/${id}">${name}</a></td>
      <td data-label="People">${people === 0 ? html`<span class="quiet">Nobody</span>` : counted(people, 'person', 'people')}</td>
      <td data-label="Permissions">
        ${permissions === 0 ? html`<span class="quiet">None</span>` : counted(permissions, 'permission')}
      </td>
    </tr>`,
  );
  return dataTable(['Role', 'People', 'Permissions'], rows, 'is-list');
}

function addForm(frame: Frame, refused: RefusedForm | undefined): Html {
  return html`<section aria-labelledby="add">
    <h2 class="section-title" id="add">Add a role</h2>
    <form class="inline-form" method="post" action="/roles" data-busy-words="Adding…">
      ${csrfField(frame)}
      ${textField({ name: 'name', label: 'Name', max: ROLE_NAME_MAX }, refusedAt('/roles', refused))}
      <button class="btn btn-primary" type="submit">${icon('plus')}Add role</button>
    </form>
    <p class="quiet mt-3">A new role allows nothing. You choose its permissions on the next page.</p>
  </section>`;
}
