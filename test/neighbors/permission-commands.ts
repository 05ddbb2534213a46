import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import {
  assignRole,
  confirmGrant,
  createAdministrator,
  deleteRole,
  findAgencyByKey,
  getRole,
  issueAgencyKey,
  listRoleGrants,
  type Permission,
  receiveAgencyEvent,
  refuseGrant,
  renameAgency,
  revokeAgencyKey,
  setRolePermissions,
} from '@case-platform/modules/accounts';
import { TEST_URLS } from '../support/codes.ts';
import type { Command } from './command.ts';
import { NOW, type Twins } from './seed-twins.ts';

const by = ({ people }: Twins) => ({ actor: people.eve, origin: SYSTEM });
const KEPT: Permission[] = ['view_messages', 'view_all_cases'];

/** Gives the role of the staff the permission to manage roles. */
const letManageRoles = (tx: Transaction, { id }: Twins) =>
  tx.query({
    text: `insert into admin_role_permission values ($1, 'manage_roles'), ($1, 'edit_users')`,
    values: [id('admin_role', 'Desk')],
  });
const setPermissions = async (tx: Transaction, twins: Twins, role: string, permissions: readonly Permission[]) =>
  setRolePermissions(tx, await getRole(tx, twins.id('admin_role', role)), permissions, by(twins), TEST_URLS);
const grantOf = async (tx: Transaction, { people }: Twins, userId: number) => {
  const [grant] = await listRoleGrants(tx, people.eve, { user_id: userId });
  if (grant === undefined) throw new Error('nothing waits');
  return grant;
};

export const PERMISSION_COMMANDS: Command[] = [
  ...['this', 'another'].map((which) => ({
    name: `the operator’s invitation of an administrator who was invited with ${which} role before`,
    prepare: async (tx: Transaction, { crowd }: Twins) => {
      if (which === 'another') return;
      await tx.query({
        text: `update user_account set admin_role_id = (select id from admin_role where name = 'Administrator') where id = $1`,
        values: [crowd.get('admin invited')?.id ?? 0],
      });
    },
    work: (tx: Transaction) => {
      const person = { email: 'admin-invited@crowd.test', name: 'admin invited', another: true };
      return createAdministrator(tx, person, TEST_URLS, NOW);
    },
    runs: 2,
  })),
  {
    name: 'taking permissions from a role',
    prepare: letManageRoles,
    work: (tx, twins) => setPermissions(tx, twins, 'Till', KEPT),
    runs: 2,
  },
  {
    name: 'requesting more money permissions of a role that someone is to get',
    prepare: async (tx, twins) => {
      await letManageRoles(tx, twins);
      await tx.query({
        text: 'insert into role_grant (admin_role_id, user_id, asked_by) values ($1, $2, $3)',
        values: [twins.id('admin_role', 'Desk'), twins.people.eve.id, twins.people.ada.id],
      });
    },
    work: (tx, twins) =>
      setPermissions(tx, twins, 'Desk', [
        ...KEPT,
        'reassign_threads',
        'send_group_messages',
        'manage_roles',
        'edit_users',
        'approve_nacha',
      ]),
  },
  {
    name: 'giving a role that moves no money',
    prepare: letManageRoles,
    work: (tx, twins) =>
      assignRole(
        tx,
        { user_id: twins.people.ada.id, admin_role_id: twins.id('admin_role', 'Till') },
        { ...by(twins), manages_roles: true, now: new Date(), urls: TEST_URLS },
      ),
    runs: 2,
  },
  {
    name: 'confirming what was asked for a person',
    prepare: letManageRoles,
    work: async (tx, twins) => confirmGrant(tx, await grantOf(tx, twins, twins.people.bob.id), by(twins), TEST_URLS),
  },
  {
    name: 'rejecting what was requested for a person',
    prepare: letManageRoles,
    work: async (tx, twins) => refuseGrant(tx, await grantOf(tx, twins, twins.people.ada.id), by(twins)),
  },
  {
    name: 'deleting a role while a grant of it waits',
    work: (tx, twins) => deleteRole(tx, twins.id('admin_role', 'Till'), by(twins)),
  },
  {
    name: 'issuing an agency’s key while it has two, or after one was revoked',
    work: async (tx, twins, round) => {
      if (round === 1) await revokeAgencyKey(tx, twins.id('agency', 'Alder'), twins.id('agency_api_key', 'Alder-one'), by(twins));
      return issueAgencyKey(tx, twins.id('agency', 'Alder'), by(twins));
    },
    runs: 2,
  },
  {
    name: 'revoking an agency’s key, which works once',
    work: (tx, twins) => revokeAgencyKey(tx, twins.id('agency', 'Alder'), twins.id('agency_api_key', 'Alder-one'), by(twins)),
    runs: 2,
  },
  {
    name: 'using an agency’s key, which is noted once a minute',
    work: async (tx, twins, round) => {
      if (round === 2)
        await tx.query({
          text: `update agency_api_key set last_used_at = now() - interval '1 minute' where id = $1`,
          values: [twins.id('agency_api_key', 'Alder-one')],
        });
      return findAgencyByKey(tx, 'Alder one');
    },
    runs: 3,
  },
  {
    name: 'taking a permission from a role of three people',
    prepare: letManageRoles,
    work: (tx, twins) => setPermissions(tx, twins, 'Desk', [...KEPT, 'reassign_threads', 'manage_roles', 'edit_users']),
  },
  {
    name: 'an agency’s event under an id that only another agency has used',
    prepare: (tx, { id }) =>
      tx.query({
        text: `insert into agency_event (agency_id, event_id, type) values ($1, 'theirs', 'x')`,
        values: [id('agency', 'Birch')],
      }),
    work: (tx, { id }) => receiveAgencyEvent(tx, id('agency', 'Alder'), { id: 'theirs', type: 'x' }),
    runs: 2,
  },
  {
    name: 'an agency’s event under an id that it has used, and under another one',
    work: (tx, { id }, round) => receiveAgencyEvent(tx, id('agency', 'Alder'), { id: round === 0 ? 'same' : 'own', type: 'x' }),
    runs: 3,
  },
  {
    name: 'the operator’s invitation of a new administrator, who gets the role with the most rights',
    prepare: letManageRoles,
    work: (tx) => createAdministrator(tx, { email: 'new@crowd.test', name: 'Nora New', another: true }, TEST_URLS, NOW),
  },
  {
    name: 'renaming an agency, to its own name in other letters, and to that of another one',
    work: (tx, twins, round) => renameAgency(tx, twins.id('agency', 'Alder'), ['ALDER', 'birch'][round] ?? '', by(twins)),
    runs: 2,
  },
  {
    name: 'renaming an agency',
    work: (tx, twins) => renameAgency(tx, twins.id('agency', 'Alder'), 'Aspen', by(twins)),
    runs: 2,
  },
];
