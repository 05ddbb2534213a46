import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdmin } from '../start-admin.ts';

const admin = await startAdmin();
const [root, viewer] = [await admin.as('root'), await admin.as('viewer')];
const explain = async (email: string, user_type: string, action: string, case_id = '') =>
  (await root.get(`/access?${new URLSearchParams({ email, user_type, action, case_id })}`)).text;

test('[Server-rendered application 4] a page that a role does not include is readable by the admin context', async () => {
  const text = await explain('viewer@demo.test', 'admin', 'GET /deliveries');
  assert.match(text, /is let in/);
  assert.match(text, /pages stay readable by any admin/);
  assert.match(await explain('parent@demo.test', 'ip', 'GET /deliveries'), /is refused/);
});

test('[Server-rendered application 5] a change that a role does not include is refused, and by what', async () => {
  const text = await explain('viewer@demo.test', 'admin', 'POST /roles');
  assert.match(text, /is refused/);
  assert.match(text, /manage_roles/);
  assert.match(await explain('root@demo.test', 'admin', 'POST /roles'), /The authorization check holds/);
});

test('[decisions 8] access to a case is explained reason by reason', async () => {
  assert.match(await explain('escrow@demo.test', 'admin', 'GET /cases/:case_id'), /enter its number/);
  const text = await explain('escrow@demo.test', 'admin', 'GET /cases/:case_id', '1');
  assert.match(text, /Is its escrow specialist<\/dt>\s*<dd>Yes/);
  assert.match(text, /Has view_all_cases<\/dt>\s*<dd>No/);
});

test('[Server-rendered application 7] the explanation is for those who manage roles or see people', async () => {
  const page = await viewer.get('/access?email=root@demo.test&action=GET%20/');
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /is let in/);
  assert.match(await explain('nobody@demo.test', 'admin', 'GET /'), /Nobody has this address/);
  assert.equal((await root.get('/access?user_type=king')).status, 422);
});
