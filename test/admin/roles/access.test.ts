import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdmin } from '../start-admin.ts';

const admin = await startAdmin();
const [root, viewer] = [await admin.as('root'), await admin.as('viewer')];
const explain = async (email: string, user_type: string, action: string, case_id = '') =>
  (await root.get(`/access?${new URLSearchParams({ email, user_type, action, case_id })}`)).text;

test('[SHOWN-7, GUARD-3] the explanation says that admins may open a page without its permission', async () => {
  const text = await explain('viewer@demo.test', 'admin', 'GET /deliveries');
  assert.match(text, /can do this/);
  assert.match(text, /Their role doesn’t include this, but all staff can open this page\./);
  assert.match(await explain('parent@demo.test', 'ip', 'GET /deliveries'), /can’t do this/);
});

test('[SHOWN-7, GUARD-4] the explanation says that a change without its permission is rejected, and why', async () => {
  const text = await explain('viewer@demo.test', 'admin', 'POST /roles');
  assert.match(text, /can’t do this/);
  assert.match(text, /Manage roles and assign them/);
  assert.match(await explain('root@demo.test', 'admin', 'POST /roles'), /Their user type, role and cases allow it/);
});

test('[SHOWN-7] access to a case is explained reason by reason', async () => {
  assert.match(await explain('escrow@demo.test', 'admin', 'GET /cases/:case_id'), /Enter its number/);
  const text = await explain('escrow@demo.test', 'admin', 'GET /cases/:case_id', '1');
  assert.match(text, /Is its escrow specialist<\/dt>\s*<dd>Yes/);
  assert.match(text, /Role can see all cases<\/dt>\s*<dd>No/);
});

test('[SHOWN-7] the explanation names the check that failed: the case, the role, the user type, or several', async () => {
  const rows = [
    ['escrow@demo.test', 'admin', 'POST /cases/:case_id/status', '3', 'They don’t have access to this case.'],
    ['viewer@demo.test', 'admin', 'POST /roles', '', 'Their role doesn’t include this.'],
    [
      'viewer@demo.test',
      'admin',
      'POST /cases/:case_id/status',
      '1',
      'Their role doesn’t include this, and they don’t have access to this case.',
    ],
    ['parent@demo.test', 'ip', 'GET /deliveries', '', 'This isn’t for their user type'],
  ] as const;
  for (const [email, type, action, case_id, words] of rows) {
    const text = await explain(email, type, action, case_id);
    assert.ok(text.includes(words), `${action}: ${/role="(?:note|alert)"[\s\S]*?<\/p><p>(.*?)<\/p>/.exec(text)?.[1]}`);
  }
});

test('[SHOWN-7] the explanation is for those who manage roles or see people', async () => {
  const page = await viewer.get('/access?email=root@demo.test&action=GET%20/');
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /can do this/);
  assert.match(await explain('nobody@demo.test', 'admin', 'GET /'), /No one has this address/);
  assert.equal((await root.get('/access?user_type=king')).status, 422);
});
