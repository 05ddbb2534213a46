import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextPage, startAdmin } from '../start-admin.ts';

const admin = await startAdmin();
const [root, viewer] = [await admin.as('root'), await admin.as('viewer')];
const content = {
  html: '<p style="color:red">Your code is 123456<script>alert(1)</script></p>',
  text: 'Your code is 123456',
};
const { rows } = await admin.pool.query(
  `insert into delivery (delivery_key, channel, event, recipient, subject, state, attempts, error, content)
   values ('a', 'email', 'sign_in_code', 'parent@demo.test', 'Your code', 'sent', 1, null, $1),
          ('b', 'push', 'new_message', 'push.example', 'New message', 'failed', 3, 'The push service answered 500.', null)
   returning id`,
  [content],
);
const [email, push] = rows.map((row) => row.id);

test('[NOTIFY-1] staff see every delivery with its state, tries, and error', async () => {
  // The newest deliveries come first, so those of another test may fill the first page.
  const [{ text }, { text: older }] = [
    await root.get('/deliveries?event=sign_in_code'),
    await root.get('/deliveries?state=failed'),
  ];
  for (const words of ['parent@demo.test', 'Your code', 'Sent', 'Failed', 'The push service answered 500.']) {
    assert.ok(`${text}${older}`.includes(words), words);
  }
  const failed = await root.get('/deliveries?state=failed&channel=push');
  assert.ok(failed.text.includes('push.example') && !failed.text.includes('parent@demo.test'));
  assert.match((await root.get(`/deliveries/${push}`)).text, /The push service answered 500\./);
});

test('[NOTIFY-2] content that is kept in development is shown in a frame of its own, without scripts', async () => {
  const page = await root.get(`/deliveries/${email}`);
  assert.match(page.text, new RegExp(`<iframe[^>]*src="/deliveries/${email}/content"[^>]*sandbox>`));
  assert.match(page.text, /Your code is 123456/);
  assert.doesNotMatch(page.text, /<script>alert/);
  const frame = await root.get(`/deliveries/${email}/content`);
  assert.equal(frame.text, content.html);
  const policy = frame.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^sandbox; default-src 'none'/);
  assert.match(policy, /frame-ancestors 'self'/);
  assert.equal((await root.get(`/deliveries/${push}/content`)).status, 404);
});

test('[NOTIFY-1] codes and mails are shown with view_deliveries only', async () => {
  const page = await viewer.get(`/deliveries/${email}`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /123456/);
  assert.equal((await viewer.get(`/deliveries/${email}/content`)).status, 403);
  assert.match((await root.get(`/deliveries/${email}`)).text, /123456/, 'the page has it');
  assert.equal((await root.get(`/deliveries/${email}/content`)).status, 200);
});

test('[PAGE-3] the list is filtered by reason and by person, in the address, and paged', async () => {
  const parent = (await admin.pool.query(`select id from user_account where email_address = 'parent2@demo.test'`)).rows[0];
  await admin.pool.query(
    `insert into delivery (delivery_key, channel, event, user_id, recipient, subject)
     select 'many-' || n, 'email', 'reminder', $1, 'parent2@demo.test', 'Reminder ' || lpad(n::text, 3, '0')
       from generate_series(1, 60) n`,
    [parent.id],
  );
  assert.match((await root.get('/deliveries?event=reminder')).text, /Reminder 060/);
  assert.doesNotMatch((await root.get('/deliveries?event=sign_in_code')).text, /Reminder \d/);
  for (const address of [
    '/deliveries?person=marcus+whit',
    '/deliveries?person=parent2%40demo',
    `/deliveries?user_id=${parent.id}`,
  ]) {
    const first = await root.get(address);
    assert.match(first.text, /Reminder 060/, address);
    assert.doesNotMatch(first.text, /Reminder 010|parent@demo/);
    const next = nextPage(first);
    const second = await root.get(next);
    assert.match(second.text, /Reminder 010/, next);
    assert.doesNotMatch(second.text, /Reminder 011|push\.example/);
  }
  assert.match((await root.get('/deliveries?person=nobody-of-this-name')).text, /No matching deliveries/);
  assert.match((await root.get('/deliveries?person=%27%26%7C!')).text, /No matching deliveries/);
  assert.equal((await root.get('/deliveries?user_id=x')).status, 422);
  assert.equal((await root.get(`/deliveries?person=${'x'.repeat(201)}`)).status, 422);
});
