import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type EmailProvider, findUnsubscription, listPreferences } from '@case-platform/modules/notifications';
import { issueUnsubscribeToken } from '../../../modules/notifications/email/unsubscribe.ts';
import { eventually } from '../../support/eventually.ts';
import { startApi } from '../../support/platform.ts';

const api = await startApi();
const { parent, escrow } = await api.everyone();
const mails: Parameters<EmailProvider['send']>[0][] = [];
const email: EmailProvider = { name: 'mailpit', send: async (mail) => `mail-${mails.push(mail)}` };

/** Returns the link in the mail to the escrow specialist about a message of the surrogate or the parent. */
async function linkOfMail(): Promise<string> {
  const before = mails.length;
  await parent.form('/api/messages', { message: 'x' });
  await api.work({ email });
  assert.equal(mails.length, before + 1);
  const link = /^<(.+)>$/.exec(mails.at(-1)?.headers?.['List-Unsubscribe'] ?? '')?.[1];
  assert.ok(link, 'the mail has a link');
  return link;
}
const isOn = async () => {
  const settings = await listPreferences(api.db, { id: escrow.userId, user_type: 'admin' });
  return settings.find(({ event }) => event === 'new_message')?.channels.find(({ channel }) => channel === 'email')?.enabled;
};
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ONE_CLICK = { method: 'POST', headers: FORM, body: 'List-Unsubscribe=One-Click' };
const link = await linkOfMail();

beforeEach(async () => {
  await api.pool.query('delete from notification_preference');
});

describe('the link that stops a kind of mail', () => {
  test('[EMAIL-14] links of mails that are created at once, and before and after each other, all work', async () => {
    const { userId } = await api.as('surrogate');
    const mail = `insert into delivery (delivery_key, channel, event, user_id, recipient)
                  select 'made-' || n, 'email', 'new_message', $1, 'surrogate@demo.test' from generate_series(1, 6) n returning id`;
    const { rows } = await api.pool.query<{ id: number }>(mail, [userId]);
    const issue = ({ id }: { id: number }) => issueUnsubscribeToken(api.db, id);
    const tokens = await Promise.all(rows.map(issue));
    for (const row of rows.slice(0, 2)) tokens.push(await issue(row));
    for (const token of tokens) assert.equal((await findUnsubscription(api.db, token ?? ''))?.user_id, userId);
    await api.pool.query(`delete from delivery where delivery_key like 'made-%'`);
  });

  test('[EMAIL-14] of two workers who make the first link of a person at once, the second waits and uses the key of the first', async () => {
    const { userId } = await api.as('surrogate');
    await api.pool.query('delete from unsubscribe_key where user_id = $1', [userId]);
    const mail = `insert into delivery (delivery_key, channel, event, user_id, recipient)
                  select 'first-' || n, 'email', 'new_message', $1, 'surrogate@demo.test' from generate_series(1, 2) n returning id`;
    const { rows } = await api.pool.query<{ id: number }>(mail, [userId]);
    const [first = 0, second = 0] = rows.map(({ id }) => id);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                        and query like '%into unsubscribe_key%'`;
    const [token, [other]] = await api.db.transaction(async (tx) => {
      const made = await issueUnsubscribeToken(tx, first);
      const next = issueUnsubscribeToken(api.db, second);
      await eventually('the second waits', async () => (await api.pool.query(waiting)).rowCount === 1);
      // The promise is wrapped in an array, because awaiting it inside this transaction would never end.
      return [made, [next]] as const;
    });
    for (const link of [token, await other]) assert.equal((await findUnsubscription(api.db, link ?? ''))?.user_id, userId);
    await api.pool.query(`delete from delivery where delivery_key like 'first-%'`);
  });

  test('[EMAIL-14] one click in the mailbox stops the mails, without a session, any number of times; the next mail is not sent', async () => {
    for (let time = 0; time < 2; time += 1) {
      const response = await fetch(link, { ...ONE_CLICK, headers: { ...FORM, origin: 'https://mailbox.example' } });
      assert.equal(response.status, 200);
      assert.equal(await isOn(), false);
    }
    const before = mails.length;
    await parent.form('/api/messages', { message: 'After it was stopped' });
    await api.work({ email });
    assert.equal(mails.length, before);
    const others = await listPreferences(api.db, { id: escrow.userId, user_type: 'admin' });
    const off = others.flatMap(({ event, channels }) =>
      channels.filter(({ enabled }) => !enabled).map(({ channel }) => [event, channel]),
    );
    assert.deepEqual(off, [['new_message', 'email']], 'only this kind and this channel');
  });

  test('[EMAIL-14] any form that a mailbox sends is accepted: as data, without a body, of no type', async () => {
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    for (const init of [{ body: form }, {}, { body: 'x', headers: { 'content-type': 'application/json' } }]) {
      await api.pool.query('delete from notification_preference');
      assert.equal((await fetch(link, { method: 'POST', ...init })).status, 200);
      assert.equal(await isOn(), false);
    }
  });

  test('[EMAIL-14] opening the link changes nothing: it shows a page with a button, for scanners that open every link', async () => {
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(link, { method });
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/);
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      if (method === 'GET') assert.match(await response.text(), /<form method="post"><button>Stop these emails/);
    }
    assert.equal(await isOn(), true);
  });

  test('[EMAIL-14] the page turns the mails on again', async () => {
    await fetch(link, ONE_CLICK);
    assert.match(await (await fetch(link)).text(), /name="on-again"/);
    const response = await fetch(link, { method: 'POST', headers: FORM, body: 'on-again=yes' });
    assert.match(await response.text(), /Stop these emails\?/);
    assert.equal(await isOn(), true);
  });

  test('[EMAIL-14] the page is about this kind of mail of this person only, not about other mails or people', async () => {
    const set = `insert into notification_preference (user_id, event, channel, enabled) values ($1, $2, $3, $4)`;
    const rows: [userId: number, event: string, channel: string, enabled: boolean, isOffered: 'on-again' | 'stop'][] = [
      [escrow.userId, 'new_message', 'email', false, 'on-again'],
      [escrow.userId, 'new_message', 'email', true, 'stop'],
      [escrow.userId, 'new_message', 'push', false, 'stop'],
      [escrow.userId, 'case_close_reminder', 'email', false, 'stop'],
      [parent.userId, 'new_message', 'email', false, 'stop'],
    ];
    for (const [userId, event, channel, enabled, isOffered] of rows) {
      await api.pool.query('delete from notification_preference');
      await api.pool.query(set, [userId, event, channel, enabled]);
      const page = await (await fetch(link)).text();
      assert.equal(page.includes('name="on-again"'), isOffered === 'on-again', `${event} by ${channel}`);
      assert.equal(page.includes('Stop these emails?'), isOffered === 'stop', `${event} by ${channel}`);
    }
  });

  test('[EMAIL-14] a link that is changed in any part is a 404, and no one’s mail stops', async () => {
    const { origin, pathname, searchParams } = new URL(link);
    const [id = '', event = '', signature = ''] = (searchParams.get('token') ?? '').split('.');
    const tokens = [
      `${parent.userId}.${event}.${signature}`,
      `${id}.disbursement_denied.${signature}`,
      `${id}.password_changed.${signature}`,
      `${id}.constructor.${signature}`,
      `${id}.${event}.${signature.slice(0, -1)}${signature.endsWith('A') ? 'E' : 'A'}`,
      `${id}.${event}.`,
      `999999999999999.${event}.${signature}`,
      `9999999999999999.${event}.${signature}`,
      'x',
      `${id}.${event}.${signature}\r\nx`,
      '<script>',
    ];
    for (const token of tokens) {
      const url = `${origin}${pathname}?${new URLSearchParams({ token })}`;
      assert.equal((await fetch(url, ONE_CLICK)).status, 404, token);
      const page = await fetch(url);
      assert.equal(page.status, 404, token);
      assert.doesNotMatch(await page.text(), /<script|<form/);
    }
    const { rows } = await api.pool.query('select 1 from notification_preference');
    assert.equal(rows.length, 0);
  });

  test('[EMAIL-14, EDGE-2] a token or a body that is too large is rejected', async () => {
    const { origin, pathname } = new URL(link);
    assert.equal((await fetch(`${origin}${pathname}?token=${'1'.repeat(201)}`)).status, 422);
    assert.equal((await fetch(`${origin}${pathname}`)).status, 422);
    assert.equal((await fetch(link, { ...ONE_CLICK, body: 'x'.repeat(4097) })).status, 413);
    assert.equal((await fetch(link, { ...ONE_CLICK, body: 'x'.repeat(4096) })).status, 200);
  });

  test('[EMAIL-14] the link of an old mail still works, and every mail to a person has the same one', async () => {
    const again = await linkOfMail();
    assert.equal(again, link);
    await api.pool.query("update delivery set created_at = created_at - interval '3 years'");
    assert.equal((await fetch(link, ONE_CLICK)).status, 200);
    assert.equal(await isOn(), false);
  });

  test('[EMAIL-14] twenty clicks at the same time count as one', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(link, ONE_CLICK)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(await isOn(), false);
  });
});
