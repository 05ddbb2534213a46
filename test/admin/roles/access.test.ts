import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCESS_ACTIONS } from '../../../apps/admin/roles/access-actions.ts';
import { grant } from '../../support/grant.ts';
import { startAdmin } from '../start-admin.ts';

const admin = await startAdmin();
const [root, viewer] = [await admin.as('root'), await admin.as('viewer')];
const explain = async (person: string, action: string, onCase = '') =>
  (await root.get(`/access?${new URLSearchParams({ person, action, case: onCase })}`)).text;

test('[SHOWN-7] every guard of the application has an action in words, and every action its route', () => {
  const routes = new Map(admin.guardedRoutes.map(({ method, url, guard }) => [`${method} ${url}`, guard]));
  const actions = ACCESS_ACTIONS.flatMap(({ actions }) => actions);
  assert.equal(new Set(actions.map(({ words }) => words)).size, actions.length);
  const explained = new Set(actions.map(({ route }) => routes.get(route)));
  assert.ok(!explained.has(undefined));
  const guards = [...routes.values()].filter((guard) => /^(page|api)Guard/.test(guard));
  assert.deepEqual([...new Set(guards.filter((guard) => !explained.has(guard)))], []);
});

test('[SHOWN-7, GUARD-3] the explanation says that admins may open a page without its permission', async () => {
  const text = await explain('viewer@demo.test', 'GET /deliveries');
  assert.match(text, /Vera Lindqvist can see deliveries/);
  assert.match(text, /Their role doesn’t include this, but all staff can open this page\./);
  // Agencies are open to a category of permissions instead of one.
  assert.match(await explain('Vera', 'GET /agencies'), /Their role doesn’t include this, but all staff can open this page\./);
  const parent = await explain('Paige Whitlock', 'GET /deliveries');
  assert.match(parent, /Paige Whitlock can’t see deliveries/);
  assert.match(parent, /This isn’t for their user type\./);
  assert.match(parent, /This is for staff only\. No setting changes that\./);
});

test('[SHOWN-7, GUARD-4] the explanation says which check failed, what would change it, and who can', async () => {
  const roles = 'Ruth Adeyemi and Tobias Wren can change this.';
  // Vera could add people to the team of case 2, but does not see case 3.
  await grant(admin.pool, 'viewer', 'assign_case');
  await admin.pool.query("insert into case_admin select 2, id from user_account where email_address = 'viewer@demo.test'");
  const rows: [person: string, action: string, onCase: string, ...words: string[]][] = [
    ['Vera', 'POST /roles', '', 'Vera Lindqvist can’t change and assign roles', 'Their role doesn’t include this.', roles],
    ['Vera', 'POST /roles', '', 'Their role, Viewer, doesn’t include “Manage roles and assign them”.', 'A second administrator'],
    ['root@demo.test', 'POST /roles', '', 'Their user type, role, and cases allow it', 'What allows it'],
    ['Elena Marsh', 'POST /cases/:case_id', '3', 'They don’t have access to this case.', 'They have to be added to the team of'],
    ['Elena Marsh', 'POST /cases/:case_id', '3', `team of Case 3.</span><span class="row-note">${roles}`],
    ['Vera', 'POST /cases/:case_id', '1', 'Vera Lindqvist can’t change details and people on Case 1'],
    ['Vera', 'POST /cases/:case_id', '1', 'Their role doesn’t include this, and they don’t have access to this case.'],
    ['Elena', 'GET /cases/:case_id', '1', 'because they are its escrow specialist', 'Is its escrow specialist</dt><dd>Yes'],
    ['Elena', 'GET /cases/:case_id', '1', 'Role can see all cases</dt><dd>No', 'Elena Marsh can see case details on Case 1'],
  ];
  for (const [person, action, onCase, ...words] of rows) {
    const text = (await explain(person, action, onCase)).replaceAll(/>\s+</g, '><');
    for (const one of words)
      assert.ok(text.includes(one), `${person}, ${action}: ${one}\n${text.replaceAll(/<[^>]+>/g, ' ').slice(-1500)}`);
  }
});

test('[SHOWN-7] people and cases are found by name or number, and several matches are offered', async () => {
  assert.match(await explain('Elena', 'GET /cases/:case_id'), /This depends on the case\. Choose one\./);
  assert.match(await explain('5', 'GET /', ''), /Paige Whitlock can open the home page/);
  assert.match(await explain('both@demo.test', 'GET /'), /Which person\?[\s\S]*person&#61;\d+[\s\S]*Julia Navarro/);
  assert.match(await explain('Nobody Here', 'GET /'), /No one matches this name/);
  assert.match(await explain('Elena', 'GET /cases/:case_id', 'Case 2'), /Elena Marsh can see case details on Case 2/);
  assert.match(await explain('Elena', 'GET /cases/:case_id', 'no such case'), /No case matches this name/);
  assert.match(await explain('Elena', 'GET /cases/:case_id', 'Case'), /Which case\?[\s\S]*case&#61;1"/);
  assert.match(await explain('Elena', 'POST /nothing'), /Choose what they want to do/);
});

test('[SHOWN-7] people and cases of the same name are offered as a choice, and a unique name is explained', async () => {
  const { rows: people } = await admin.pool.query<{ id: number }>(
    `insert into user_account (email_address, first_name, last_name, user_type, status, admin_role_id)
     select 'name' || n || '@demo.test', 'Noor', given.name, 'admin', 'active', root.admin_role_id
       from (values (1, 'Halim'), (2, 'HALIM'), (3, 'Halimson')) as given (n, name), user_account root
      where root.email_address = 'root@demo.test' order by n returning id::int`,
  );
  const { rows: cases } = await admin.pool.query<{ id: number }>(
    `insert into case_file (name, status)
     values ('Halim family', 'active'), ('halim FAMILY', 'active'), ('Halim family two', 'active') returning id::int`,
  );
  const action = 'GET /cases/:case_id';
  /** For each field: its question, a name that two have, and a longer one that only one has. */
  const fields = [
    ['person', 'Which person?', 'Noor Halim', 'Noor Halimson', people, (text: string) => explain(text, action, '1')],
    ['case', 'Which case?', 'Halim family', 'Halim family two', cases, (text: string) => explain('root@demo.test', action, text)],
  ] as const;
  for (const [field, question, name, longer, rows, answer] of fields) {
    /** The numbers that are offered, or null where the one match is explained. */
    const choicesFor = async (text: string) => {
      const page = await answer(text);
      const isQuestion = page.includes(question);
      assert.equal(page.includes('can see case details on'), !isQuestion, `${field}: ${text}`);
      if (!isQuestion) return null;
      const choices = page.slice(page.indexOf(question)).matchAll(new RegExp(`[?;]${field}&#61;(\\d+)`, 'g'));
      return [...choices].map(([, id]) => Number(id)).sort((one, other) => one - other);
    };
    const ids = rows.map(({ id }) => id);
    for (const text of [name, name.toLowerCase(), ` ${name.toUpperCase()} `]) assert.deepEqual(await choicesFor(text), ids, text);
    for (const text of [longer, ...ids.map(String)]) assert.equal(await choicesFor(text), null, `${field}: ${text}`);
  }
});

test('[SHOWN-7] a person without an active account can do nothing, and the answer says who can reactivate them', async () => {
  await admin.pool.query("update user_account set status = 'deactivated' where email_address = 'finance@demo.test'");
  const text = await explain('finance@demo.test', 'GET /payments');
  assert.match(text, /Felix Brandt can’t see payments/);
  assert.match(text, /Someone has to reactivate the account\./);
});

test('[SHOWN-7] the explanation is for those who manage roles or see people', async () => {
  const page = await viewer.get('/access?person=root@demo.test&action=GET%20/');
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /Adeyemi can/);
});
