import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCatalogue, type Permission } from '@case-platform/modules/accounts';
import { startAdmin } from './start-admin.ts';

/**
 * Finds what each permission shows: an admin on the team of case 1 with every other permission sees it on no page (SHOWN-5).
 * Content is recognized by words that appear nowhere else, and an action by its form.
 */

const admin = await startAdmin();
const member = await admin.as('viewer');
const { rows: people } = await admin.pool.query<{ name: string; id: number }>(
  `select split_part(email_address, '@', 1) as name, min(id)::int as id from user_account group by 1`,
);
const id = new Map(people.map((one) => [one.name, one.id]));
const [viewer, root, parent, surrogate] = ['viewer', 'root', 'parent', 'surrogate'].map((name) => id.get(name));
const { rows: roles } = await admin.pool.query(`select admin_role_id as id from user_account where id = $1`, [viewer]);

await admin.pool.query(
  `insert into case_admin (case_id, user_id) values (1, ${viewer});
   insert into case_milestone (case_id, kind, happened_on, note, created_by)
     values (1, 'matched', '2026-01-05', 'zqmilestone', ${root}), (2, 'matched', '2026-01-05', 'zqothercase', ${root});
   insert into case_document (case_id, filename, content_type, size, storage_key, uploaded_by)
     values (1, 'zqdocument.pdf', 'application/pdf', 10, 'test/zqd', ${root});
   insert into agency_event (agency_id, event_id, type, case_id) values (1, 'zq', 'zqevent', 1);
   insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four, account_kind,
                                   created_by, usable_from)
     values (${surrogate}, 'Zqholder', 'person', '021000021', 'x', '1234', 'checking', ${surrogate}, now())`,
);
const made = await admin.pool.query(
  `with chain as (select nextval(pg_get_serial_sequence('message_chain', 'id')) as id),
   message as (
     insert into message (chain_id, from_id, from_type, to_admin, message)
     select id, ${parent}, 'ip', true, 'zqmessage' from chain returning id),
   made as (
     insert into message_chain (id, subject, case_id, is_group, created_by, assigned_admin_id, last_message_id)
     select chain.id, 'zqsubject', 1, true, ${parent}, ${viewer}, message.id from chain, message returning id),
   people as (
     insert into message_chain_group (chain_id, user_id, last_message_id)
     select chain.id, p, message.id from chain, message, unnest(array[${parent}, ${surrogate}]) p),
   file as (
     insert into message_file (message_id, filename, content_type, size, storage_key)
     select id, 'zqfile.pdf', 'application/pdf', 10, 'messages/zq' from message),
   note as (insert into chain_note (chain_id, author_id, note) select id, ${root}, 'zqnote' from made),
   closed as (
     insert into audit_entry (layer, action, actor_id, actor_type, subject_id, subject_label, case_id)
     select 'admin', 'chain.close', ${root}, 'admin', id, 'zqsubject', 1 from made returning id),
   account as (
     insert into audit_entry (layer, action, subject_id, subject_label, after)
     values ('api', 'bank_account.set', ${surrogate}, 'Sam', '{"last_four": "zq34"}') returning id),
   request as (
     insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by, submitted_by,
                                       submitted_at, status)
     values (1, 4321, 'Travel', 'zqrequest', ${surrogate}, ${surrogate}, ${surrogate}, now(), 'submitted') returning id),
   receipt as (
     insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
     select id, 'zqreceipt.pdf', 'application/pdf', 10, 'test/zqr', ${surrogate} from request),
   batch as (insert into banking_batch (created_by, entry_count, total_cents) values (${root}, 0, 0) returning id),
   sent as (
     insert into delivery (delivery_key, channel, event, user_id, recipient, state, content)
     values ('zq', 'email', 'password_changed', ${parent}, 'parent@demo.test', 'sent', '{"text": "zqcontent"}') returning id)
   select made.id as chain_id, request.id as disbursement_id, batch.id as batch_id, sent.id as delivery_id, closed.id as entry_id,
          account.id as account_entry_id
     from made, request, batch, sent, closed, account`,
);
const objects: Record<string, number> = { ...made.rows[0], case_id: 1, user_id: surrogate };

/** Every page of the application, on the objects above. */
const paths = [
  ...admin.guardedRoutes
    .filter(({ method, guard }) => method === 'GET' && guard.startsWith('pageGuard('))
    .map(({ url }) => url.replaceAll(/:(\w+)/g, (_, name: string) => String(objects[name] ?? 1))),
  // The search uses only the beginning of the mark, so a page that repeats the search does not count as showing it.
  '/messages?q=zqmess',
  '/messages/new?case_id=1',
  '/cases/2',
  `/audit/${objects.account_entry_id}`,
];

const form = (address: string) => `method="post" action="${address}"`;
const { chain_id, disbursement_id, batch_id } = objects;
/** The marks that some page shows to people with the permission, and no page to others. */
const SHOWN: Record<Permission, string[]> = {
  view_case_details: ['zqmilestone', 'zqdocument.pdf', 'Events from the agency’s systems'],
  edit_case_details: [form('/cases/1'), form('/cases/1/milestones'), form('/cases/1/people')],
  view_all_cases: ['zqothercase'],
  create_case: [form('/cases')],
  assign_case: [form('/cases/1/team')],
  close_case: [form('/cases/1/close')],
  edit_benefits: [form('/cases/1/benefits')],
  create_nacha: ['href="/batches/new"'],
  approve_nacha: [form(`/batches/${batch_id}/approve`)],
  view_bank_accounts: ['Zqholder', '021000021'],
  edit_bank_accounts: [form('/batches/bank'), form(`/bank-accounts/${surrogate}`)],
  create_drs: [form('/cases/1/disbursements')],
  view_drs: ['zqreceipt.pdf'],
  edit_drs: [form(`/disbursements/${disbursement_id}`)],
  approve_drs: [form(`/disbursements/${disbursement_id}/approve`), 'aria-labelledby="approvals"'],
  make_payments: [form('/batches/returns'), form('/cases/1/money')],
  view_messages: [
    'zqsubject',
    'zqmessage',
    'zqnote',
    'zqfile.pdf',
    '1 unread',
    form('/messages'),
    form(`/messages/${chain_id}/assign`),
  ],
  reassign_threads: [form(`/messages/${chain_id}/assign`)],
  send_group_messages: ['Choose several to start a group'],
  view_users: [`class="person-link" href="/users/${surrogate}"`],
  edit_users: [form('/users'), form(`/users/${surrogate}`), form(`/users/${surrogate}/deactivate`)],
  view_agencies: ['Events from its systems'],
  edit_agencies: [form('/agencies'), form('/agencies/1/name')],
  manage_roles: [form('/roles'), form('/roles/1/permissions')],
  view_audit_log: ['Closed the conversation'],
  view_deliveries: ['zqcontent'],
};

const ALL = listCatalogue().map(({ value }) => value);

async function hold(permissions: readonly Permission[]): Promise<void> {
  await admin.pool.query('delete from admin_role_permission where admin_role_id = $1', [roles[0].id]);
  await admin.pool.query('insert into admin_role_permission select $1, unnest($2::text[])', [roles[0].id, permissions]);
}

/** Reads a page as the member. @returns its status and text. */
async function read(path: string): Promise<{ status: number; text: string }> {
  const { status, text } = await member.get(path);
  return { status, text: text.replaceAll('&#47;', '/') };
}

/** Marks that any one of several permissions shows. */
const SHOWN_BY_ANY: [readonly Permission[], string[]][] = [
  [['view_drs', 'create_drs', 'edit_drs', 'approve_drs'], ['zqrequest']],
  [['view_bank_accounts', 'edit_bank_accounts'], ['zq34']],
];

const whole = new Map<string, string>();

/** Requires that these marks are on some page for a role with every permission, and on none without these. */
async function closesWithout(permissions: readonly Permission[], marks: readonly string[]): Promise<void> {
  await hold(ALL.filter((other) => !permissions.includes(other)));
  for (const mark of marks)
    assert.ok(
      [...whole.values()].some((text) => text.includes(mark)),
      `${mark}: ${permissions}`,
    );
  for (const [path, text] of whole) {
    if (!marks.some((mark) => text.includes(mark))) continue;
    const page = await read(path);
    const shown = marks.filter((mark) => page.text.includes(mark));
    assert.deepEqual(shown, [], `${path} without ${permissions}`);
    assert.ok([200, 404].includes(page.status), path);
  }
}

test('[SHOWN-5] what a permission shows is on no page for a role that has all others', async () => {
  await hold(ALL);
  for (const path of paths) whole.set(path, (await read(path)).text);
  for (const permission of ALL) await closesWithout([permission], SHOWN[permission]);
  for (const [permissions, marks] of SHOWN_BY_ANY) await closesWithout(permissions, marks);
});

test('[SHOWN-5, CASE-2] off the case, a payment permission shows what a payment needs of an approved request, and no other shows it', async () => {
  await admin.pool.query('delete from case_admin where user_id = $1', [viewer]);
  const { rows: approved } = await admin.pool.query(
    `with request as (
       insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by, submitted_by,
                                         submitted_at, status, approver_id, decided_at, approved_account_id, decision_reason,
                                         chain_id)
       values (1, 98765, 'Zqcategory', 'zqapproved', ${surrogate}, ${surrogate}, ${surrogate}, now(), 'approved', ${parent}, now(),
               (select id from payee_bank_account where user_id = ${surrogate}), 'zqreason', ${chain_id}) returning id),
     receipt as (
       insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
       select id, 'zqbill.pdf', 'application/pdf', 10, 'test/zqb', ${surrogate} from request)
     select id from request`,
  );
  const path = `/disbursements/${approved[0].id}`;
  const needed = ['zqapproved', 'zqbill.pdf', 'Zqcategory', '$987.65'];
  /** The reason of the approver, the conversation, and the approver's name, which the outline of the case has, too (SHOWN-2). */
  const ofCase = ['zqreason', `href="/messages/${chain_id}"`, 'Paige Whitlock'];
  const payers: readonly Permission[] = ['create_nacha', 'approve_nacha', 'make_payments'];
  for (const permission of ALL) {
    await hold([permission]);
    const { text } = await read(path);
    const shown = needed.filter((mark) => text.includes(mark));
    assert.deepEqual(shown, payers.includes(permission) ? needed : [], permission);
    assert.doesNotMatch(text, /Requested by|Approved by/, permission);
    const undecided = await read(`/disbursements/${disbursement_id}`);
    assert.ok(!undecided.text.includes('zqrequest'), permission);
  }
  for (const permission of payers)
    for (const permissions of [[permission], [permission, 'view_drs']] as const) {
      await hold(permissions);
      for (const one of [path, '/disbursements?q=zqapproved', ...paths]) {
        const { text } = await read(one);
        const marks = one.startsWith('/disbursements') ? ofCase : ofCase.slice(0, 2);
        const leaked = marks.filter((mark) => text.includes(mark));
        assert.deepEqual(leaked, [], `${one} with ${permissions}`);
      }
    }
  await admin.pool.query('insert into case_admin (case_id, user_id) values (1, $1)', [viewer]);
  await hold(ALL);
  const { text: onCase } = await read(path);
  assert.deepEqual(
    ofCase.filter((mark) => !onCase.includes(mark)),
    [],
    'on the case, each of them is shown',
  );
  await admin.pool.query('delete from disbursement_file where disbursement_id = $1', [approved[0].id]);
  await admin.pool.query('delete from disbursement_request where id = $1', [approved[0].id]);
});

test('[SHOWN-5, GUARD-9] a rejected form shows no more than the page it is on', async () => {
  const refusals = [
    ['view_messages', `/messages/${chain_id}/assign`, { admin_id: '999999' }],
    ['view_case_details', '/cases/1/milestones', { kind: 'party', happened_on: '', note: '', funding_required: '' }],
  ] as const;
  for (const [permission, path, fields] of refusals) {
    for (const isShown of [true, false]) {
      await hold(ALL.filter((other) => isShown || other !== permission));
      const page = await member.post(path, fields);
      assert.equal(page.status, 422, path);
      assert.equal(
        SHOWN[permission].some((mark) => page.text.includes(mark)),
        isShown,
        path,
      );
    }
  }
});
