import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor } from '../admin/start-admin.ts';
import { CAST, passwordOf } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { adminUrl, assertNoFaults, openWindow, pool, webUrl } from './sign-in-stack.ts';

const GOOD = 'four-quiet-words-here';
const root = new Visitor(adminUrl);
await root.signIn(CAST.root.email_address, passwordOf('root'));

/** Invites someone as staff do, and reads the link in the mail. */
async function invitationLink(email_address: string, user_type: string): Promise<string> {
  const fields = { email_address, user_type, first_name: 'New', last_name: 'Person', phone: '', agency_id: '' };
  const page = await root.post('/users', { ...fields, admin_role_id: '' });
  assert.equal(page.status, 303, page.text);
  const mail = await eventually(`an invitation to ${email_address}`, async () => {
    const { rows } = await pool.query<{ text: string | null }>(
      `select content->>'text' as text from delivery where recipient = $1 and event = 'invitation'`,
      [email_address],
    );
    return rows[0]?.text ?? undefined;
  });
  const link = /http\S+\/password-reset\/confirm\?\S+/.exec(mail)?.[0] ?? '';
  assert.ok(link.startsWith(webUrl), mail);
  return link;
}

test('[INVITE-1] an invited person is welcomed, chooses a password, and signs in with it', async () => {
  const link = await invitationLink('invited@demo.test', 'surrogate');
  const page = await openWindow();
  for (const method of ['GET', 'HEAD']) assert.equal((await fetch(link, { method })).status, 200, 'does not use it up');
  await page.goto(link);
  await page.getByRole('heading', { name: 'Welcome. Choose a password' }).waitFor();
  await page.waitForURL(`${webUrl}/password-reset/confirm?invitation=1&role=surrogate`);
  const field = page.getByLabel('Password', { exact: true });
  const set = page.getByRole('button', { name: 'Set password' });
  await field.fill('shortness');
  await set.click();
  await page.getByText('needs at least 12 characters').waitFor();
  await field.fill(GOOD);
  await set.click();
  await page.waitForURL(`${webUrl}/login?reset=welcome`);
  await page.getByText('Welcome, your account is ready').waitFor();
  assert.equal(await page.getByLabel('I am').inputValue(), 'surrogate', 'as they were invited');
  await page.getByLabel('Email address').fill('invited@demo.test');
  await page.getByLabel('Password', { exact: true }).fill(GOOD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${webUrl}/`);

  const late = await openWindow();
  await late.goto(link);
  await late.getByLabel('Password', { exact: true }).fill('another-four-quiet-words');
  await late.getByRole('button', { name: 'Set password' }).click();
  await late.getByText('its 7 days are over').waitFor();
  assert.equal(await late.getByRole('link', { name: 'Ask for a new link' }).count(), 0);
  assertNoFaults(page);
  await Promise.all([page.context().close(), late.context().close()]);
});

test('[INVITE-1] an invited member of staff is sent to the staff application', async () => {
  const link = await invitationLink('invited-staff@demo.test', 'admin');
  const page = await openWindow();
  await page.goto(link);
  await page.getByLabel('Password', { exact: true }).fill(GOOD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Your account is ready' }).waitFor();
  const visitor = new Visitor(adminUrl);
  const signedIn = await visitor.signIn('invited-staff@demo.test', GOOD);
  assert.deepEqual([signedIn.status, signedIn.location], [303, '/']);
  assertNoFaults(page);
  await page.context().close();
});
