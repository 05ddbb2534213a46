import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUser } from '@case-platform/modules/accounts';
import { addMilestone, addScheduledPayment, remindOfClosing } from '@case-platform/modules/cases';
import { stopOutdatedPayments } from '@case-platform/modules/disbursements';
import type { EmailProvider } from '@case-platform/modules/notifications';
import { CASE_1, CASE_2, CASE_3 } from '../support/cast.ts';
import { addCategories } from '../support/categories.ts';
import { asBank, bringTo, decide, draft, fundCase, move } from '../support/money.ts';
import { type Client, startApi } from '../support/platform.ts';

const api = await startApi();
await fundCase(api, CASE_1, 100_000_000);
const { surrogate, parent, manager } = await api.everyone();
const both = { maker: surrogate, checker: parent };
const specialist = await findActiveUser(api.db, { email_address: 'escrow@demo.test', user_type: 'admin' });
assert.ok(specialist);
const by = { actor: specialist, origin: SYSTEM };
const urls = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };

const sent: Parameters<EmailProvider['send']>[0][] = [];
const email: EmailProvider = {
  name: 'mailpit',
  async send(mail) {
    sent.push(mail);
    return `mail-${sent.length}`;
  },
};
const mails = async () => {
  await api.work({ email });
  return sent.splice(0);
};
const forget = async () => void (await mails());
beforeEach(forget);
const receivers = (list: { to: string }[]) => list.map(({ to }) => to).sort();
/** The recipients of the recorded mails. No mail is recorded for a closed account. */
const recorded = async (event: 'submitted' | 'approved' | 'denied', id: number) => {
  const mailed = `select recipient from delivery where channel = 'email' and delivery_key like $1 order by recipient`;
  return (await api.pool.query(mailed, [`disbursement:${id}:${event}:%`])).rows.map(({ recipient }) => recipient);
};

describe('mails about requests', () => {
  test('[EMAIL-4] a submitted request is mailed to its approver, and to no one else', async () => {
    await addCategories(api.pool, [CASE_1], ['<b>Food</b>']);
    const { id } = await draft(surrogate, { amount_cents: 123_456, category: '<b>Food</b>' });
    assert.deepEqual(await mails(), [], 'a draft sends no mail');
    await move(surrogate, id, 'submit');
    const [mail, ...more] = await mails();
    assert.ok(mail);
    assert.deepEqual([mail.to, mail.subject, more.length], ['parent@demo.test', 'A request is waiting for your approval', 0]);
    for (const part of [mail.html, mail.text]) {
      assert.match(part, /\$1,234\.56/);
      assert.match(part, new RegExp(`http://localhost:3000/disbursements/${id}`));
      assert.match(part, /Sarah Lindgren/);
    }
    assert.match(mail.html, /&lt;b&gt;Food&lt;\/b&gt;/);
  });

  test('[EMAIL-4] without an approver, the admins who may approve are mailed', async () => {
    await api.pool.query("update user_account set status = 'deactivated' where email_address like 'parent%'");
    const { id } = await draft(surrogate);
    await move(surrogate, id, 'submit');
    const approverMails = await mails();
    await api.pool.query("update user_account set status = 'active' where email_address like 'parent%'");
    assert.deepEqual(receivers(approverMails), ['root@demo.test', 'totp-admin@demo.test']);
    assert.match(approverMails[0]?.html ?? '', new RegExp(`http://localhost:4001/disbursements/${id}`));
    const { approver } = (await surrogate.get(`/api/disbursements/${id}`)).body;
    assert.equal(approver, null);
    assert.equal((await move(await api.as('root'), id, 'approve')).status, 'approved');
  });

  test('[EMAIL-4, PERSON-5] an admin who may approve and has a part in the request is not mailed', async () => {
    await api.pool.query("update user_account set status = 'deactivated' where email_address like 'parent%'");
    const { id } = await draft(surrogate);
    const { userId } = await api.as('root');
    await api.pool.query('update disbursement_request set revised_by = array[$2::bigint] where id = $1', [id, userId]);
    await move(surrogate, id, 'submit');
    const approverMails = await mails();
    await api.pool.query("update user_account set status = 'active' where email_address like 'parent%'");
    assert.deepEqual(receivers(approverMails), ['totp-admin@demo.test']);
  });

  test('[EMAIL-5] an approval is mailed to the surrogate and the parents', async () => {
    const id = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    await forget();
    await move(parent, id, 'approve');
    const confirmed = await mails();
    assert.deepEqual(receivers(confirmed), ['parent2@demo.test', 'parent@demo.test', 'surrogate@demo.test']);
    assert.ok(confirmed.every(({ subject }) => subject === 'A request was approved'));
  });

  test('[REQUEST-19] an approval that can be undone is mailed once it is final, and never if it was undone', async () => {
    const id = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    await forget();
    const approve = async () => {
      const { version } = (await parent.get(`/api/disbursements/${id}`)).body;
      assert.equal((await parent.post(`/api/disbursements/${id}/approve`, { version, undoable: true })).status, 200);
    };
    /** As if the seconds in which it can be undone were over. */
    const passSeconds = () => api.pool.query('update graphile_worker._private_jobs set run_at = now() where run_at > now()');
    await approve();
    assert.deepEqual(receivers(await mails()), [], 'not while it can be undone');
    await move(parent, id, 'undo-approval');
    await passSeconds();
    assert.deepEqual(receivers(await mails()), [], 'it was undone');
    await approve();
    await passSeconds();
    assert.deepEqual(receivers(await mails()), ['parent2@demo.test', 'parent@demo.test', 'surrogate@demo.test']);
  });

  test('[EMAIL-4, NOTIFY-9] an approver whose account was closed meanwhile is not mailed', async () => {
    const { id } = await draft(surrogate);
    await move(surrogate, id, 'submit');
    await api.pool.query("update user_account set status = 'deactivated' where email_address = 'parent@demo.test'");
    const approverMails = await mails();
    await api.pool.query("update user_account set status = 'active' where email_address = 'parent@demo.test'");
    assert.deepEqual(receivers(approverMails), []);
    assert.deepEqual(await recorded('submitted', id), []);
    const { id: next } = await draft(surrogate);
    await move(surrogate, next, 'submit');
    assert.deepEqual(receivers(await mails()), ['parent@demo.test'], 'they are mailed after the account is open again');
    assert.deepEqual(await recorded('submitted', next), ['parent@demo.test']);
  });

  test('[EMAIL-5, NOTIFY-9] a person whose account was closed meanwhile is not mailed about an approval', async () => {
    const id = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    await forget();
    await move(parent, id, 'approve');
    await api.pool.query("update user_account set status = 'deactivated' where email_address = 'parent2@demo.test'");
    const confirmed = await mails();
    await api.pool.query("update user_account set status = 'active' where email_address = 'parent2@demo.test'");
    assert.deepEqual(receivers(confirmed), ['parent@demo.test', 'surrogate@demo.test']);
    assert.deepEqual(await recorded('approved', id), ['parent@demo.test', 'surrogate@demo.test']);
  });

  test('[EMAIL-5, NOTIFY-9] a person who left the case meanwhile is not mailed about an approval', async () => {
    const id = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    await forget();
    await move(parent, id, 'approve');
    const { userId } = await api.as('parent2');
    const setLeft = (at: string) =>
      api.pool.query(`update case_participant set left_at = ${at} where case_id = $1 and user_id = $2`, [CASE_1, userId]);
    await setLeft('now()');
    const confirmed = await mails();
    await setLeft('null');
    assert.deepEqual(receivers(confirmed), ['parent@demo.test', 'surrogate@demo.test']);
    assert.deepEqual(await recorded('approved', id), ['parent@demo.test', 'surrogate@demo.test']);
  });

  test('[EMAIL-6, NOTIFY-9] a person whose account was closed meanwhile is not mailed about a denial', async () => {
    const id = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    await forget();
    await move(parent, id, 'deny', { reason: 'No' });
    await api.pool.query("update user_account set status = 'deactivated' where email_address = 'manager@demo.test'");
    const notices = await mails();
    await api.pool.query("update user_account set status = 'active' where email_address = 'manager@demo.test'");
    assert.deepEqual(receivers(notices), ['escrow@demo.test']);
    assert.deepEqual(await recorded('denied', id), ['escrow@demo.test']);
  });

  test('[EMAIL-6] a denial is mailed with its reason to the submitter and the escrow specialist', async () => {
    const id = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    await forget();
    await move(parent, id, 'deny', { reason: 'Not <covered>' });
    const notices = await mails();
    assert.deepEqual(receivers(notices), ['escrow@demo.test', 'manager@demo.test']);
    for (const { html, text } of notices) {
      assert.match(html, /Not &lt;covered&gt;/);
      assert.match(text, /Not <covered>/);
    }
  });

  test('[EMAIL-4] a rejected command sends no mail, a repeated job mails no one twice, and a new submission is mailed again', async () => {
    const id = await bringTo(api, both, 'submitted');
    assert.equal((await mails()).length, 1);
    await surrogate.post(`/api/disbursements/${id}/submit`);
    await decide(surrogate, id, 'approve');
    assert.deepEqual(await mails(), []);
    const news = { disbursement_id: id, event: 'submitted', at: '2026-01-01T00:00:00.000Z' };
    for (let run = 0; run < 2; run += 1) {
      await api.pool.query("select graphile_worker.add_job('mail_disbursement', $1::json)", [JSON.stringify(news)]);
      assert.equal((await mails()).length, run === 0 ? 1 : 0);
    }
    const change = { body: '{"amount_cents":7}', headers: { 'content-type': 'application/json' } };
    await surrogate.call('PATCH', `/api/disbursements/${id}`, change);
    await move(surrogate, id, 'submit');
    assert.deepEqual(receivers(await mails()), ['parent@demo.test']);
  });

  test('[BANK-3, BANK-11] a changed bank account sends approvals back to draft, and everyone concerned gets one mail', async () => {
    const id = await bringTo(api, both, 'approved');
    const batched = await bringTo(api, both, 'batched');
    await forget();
    await api.pool.query(
      `with old as (update payee_bank_account set replaced_at = now() where user_id = $1 and replaced_at is null)
       insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four,
                                       account_kind, created_by, usable_from)
       values ($1, 'Sarah Lindgren', 'person', '021000021', '\\x00', '4321', 'checking', $1, now())`,
      [surrogate.userId],
    );
    await asBank(api, (tx) => stopOutdatedPayments(tx, surrogate.userId, by, new Date()));
    const stopped = await mails();
    const to = ['escrow@demo.test', 'parent@demo.test', 'surrogate@demo.test'];
    // An administrator approved a request of another test.
    assert.deepEqual(
      receivers(stopped).filter((one) => one !== 'root@demo.test'),
      to,
    );
    const mail = stopped.find((one) => one.to === 'surrogate@demo.test');
    assert.match(mail?.subject ?? '', /^\d+ payments to you were stopped$/);
    assert.match(mail?.text ?? '', /\$125\.00 Travel, Case 1\nYou need to send it again\./);
    assert.equal((await surrogate.get(`/api/disbursements/${id}`)).body.status, 'draft');
    assert.equal((await surrogate.get(`/api/disbursements/${batched}`)).body.status, 'batched');
  });
});

describe('[NOTIFY-3] pushes about requests', () => {
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  const subscribe = (who: Client) =>
    who.post('/api/notifications/subscribe', { enabled: true, endpoint: 'http://127.0.0.1:9/push', keys });
  const pushed = async () => {
    const { rows } = await api.pool.query<{ event: string; payload: { data: { url: string }; body: string } }>(
      `select d.event, j.payload->'payload' as payload
         from graphile_worker._private_jobs j join delivery d on d.id = (j.payload->>'delivery_id')::bigint
        where d.channel = 'push'`,
    );
    return rows;
  };

  test('[NOTIFY-3] approvals and payment confirmations are pushed without amounts on the lock screen', async () => {
    await subscribe(surrogate);
    const id = await bringTo(api, both, 'paid', { amount_cents: 4711 });
    await forget();
    const about = (await pushed()).filter(({ payload }) => payload.data.url === `/disbursements/${id}`);
    assert.deepEqual(about.map(({ event }) => event).sort(), ['disbursement_approved', 'payment_arrived']);
    assert.ok(about.every(({ payload }) => !/47/.test(payload.body)));
    await surrogate.post('/api/notifications/subscribe', { enabled: false });
  });
});

describe('mails about cases', () => {
  const context = { db: api.db, now: () => new Date() };

  test('[EMAIL-7] a confirmed pregnancy with a funding requirement mails ip_pregnancy_funding.html to the parents', async () => {
    const milestone = {
      kind: 'pregnancy_confirmed',
      happened_on: '2026-05-01',
      funding_required_cents: 6_500_000,
    } as const;
    await addMilestone(context, CASE_1, milestone, by);
    const fundingMails = await mails();
    assert.deepEqual(receivers(fundingMails), ['parent2@demo.test', 'parent@demo.test']);
    for (const { html } of fundingMails) {
      assert.match(html, /\$65,000\.00/);
      assert.match(html, /http:\/\/localhost:3000\/cases\/1/);
    }
  });

  test('[EMAIL-7] another milestone, or one without a funding requirement, sends no mail', async () => {
    await addMilestone(context, CASE_1, { kind: 'pregnancy_confirmed', happened_on: '2026-05-02' }, by);
    await addMilestone(context, CASE_1, { kind: 'birth', happened_on: '2026-05-03' }, by);
    assert.deepEqual(await mails(), []);
    const needed = { kind: 'pregnancy_confirmed', happened_on: '2026-05-04', funding_required_cents: 1 } as const;
    await addMilestone(context, CASE_1, needed, by);
    assert.equal((await mails()).length, 2);
  });

  test('[EMAIL-8] the last payment of a category is mailed to the admins of the case, once', async () => {
    const plan = (category: string) =>
      addScheduledPayment(
        api.db,
        CASE_1,
        { category, description: '', due_date: '2026-12-01', amount_cents: 100, payee_id: null },
        by,
      );
    const [first, last, other] = [await plan('Clothing'), await plan('Clothing'), await plan('Travel')];
    assert.ok(other.id > 0);
    const about = async () => (await mails()).filter(({ subject }) => /last scheduled payment/.test(subject));
    await bringTo(api, both, 'paid', { scheduled_payment_id: first.id });
    assert.deepEqual(await about(), []);
    await bringTo(api, both, 'paid', { scheduled_payment_id: last.id });
    const lastPaymentMails = await about();
    assert.deepEqual(receivers(lastPaymentMails), ['escrow@demo.test']);
    assert.equal(lastPaymentMails[0]?.subject, 'Clothing: the last scheduled payment is made');
  });

  test('[EMAIL-9, LOCALE-2] the escrow specialist is reminded to close a case, from a week before, once for each due date', async () => {
    const remind = async (day: string) => {
      await Promise.all([1, 2].map(() => remindOfClosing({ db: api.db, ...urls }, new Date(`${day}T07:00:00Z`))));
      return (await mails()).map(({ to, subject }) => [to, subject]);
    };
    const due = (id: number, day: string | null) =>
      api.pool.query('update case_file set close_due_on = $2 where id = $1', [id, day]);
    await due(CASE_2, '2026-06-20');
    await due(CASE_3, '2026-06-20');
    assert.deepEqual(await remind('2026-06-12'), []);
    const reminder = ['escrow@demo.test', 'Case 2 closes by June 20, 2026'];
    assert.deepEqual(await remind('2026-06-13'), [reminder], 'case 3 has no Escrow Specialist');
    assert.deepEqual(await remind('2026-06-14'), []);
    await due(CASE_2, '2026-06-25');
    const signIn =
      "insert into sign_in (user_id, layer, user_agent, locale, signed_in_at) values ($1, 'admin', '', 'en-GB', now())";
    await api.pool.query(signIn, [specialist.id]);
    assert.deepEqual(await remind('2026-07-01'), [['escrow@demo.test', 'Case 2 closes by 25 June 2026']], 'in their locale');
    await due(CASE_2, '2026-06-26');
    const setStatus = (status: string) =>
      api.pool.query('update user_account set status = $2 where id = $1', [specialist.id, status]);
    await setStatus('deactivated');
    assert.deepEqual(await remind('2026-07-01'), [], 'the account of the Escrow Specialist is closed');
    await setStatus('active');
    for (const ended of ['closed', 'cancelled']) {
      await api.pool.query('update case_file set status = $2 where id = $1', [CASE_2, ended]);
      assert.deepEqual(await remind('2026-07-01'), [], ended);
    }
  });
});
