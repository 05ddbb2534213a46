import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { enqueue } from '@case-platform/lib/jobs';
import { type EmailProvider, EVENTS, queueEmail } from '@case-platform/modules/notifications';
import { workUntilIdle } from '../../../apps/worker/run-worker.ts';
import { quietLog, TEST_VAPID } from '../../support/platform.ts';
import { type Page, startAdmin } from '../start-admin.ts';

const admin = await startAdmin();
const [root, viewer] = [await admin.as('root'), await admin.as('viewer')];
const { rows: people } = await admin.pool.query(
  "select id, user_type, email_address from user_account where email_address = 'parent@demo.test'",
);
const [to] = people;

let isDown = false;
let sent = 0;
/** The names of the provider's templates, by the subject of their mail. */
const templates = new Map<string, string | undefined>();
const email: EmailProvider = {
  name: 'mailpit',
  async send({ subject, template }) {
    templates.set(subject, template?.name);
    if (isDown) throw new Error('Mailpit answered 500.');
    sent += 1;
    return 'mail';
  },
};
/** Mails that the JSON API and the worker's schedule send, and no staff page. */
const ELSEWHERE = ['password_reset', 'case_close_reminder', 'funds_short'];

const worker = admin.inRole?.('worker') ?? admin;
const work = () =>
  workUntilIdle({
    pool: worker.pool,
    log: quietLog,
    context: {
      db: worker.db,
      storage: admin.storage,
      email,
      sms: null,
      keepsContent: true,
      push: { ...TEST_VAPID, allowedHosts: [], production: false },
      internalApi: { url: 'http://127.0.0.1:1', masterApiKey: '' },
      webUrl: 'http://localhost:3000',
      apiUrl: 'http://localhost:4000',
      adminUrl: 'http://localhost:4001',
    },
  });

/** Queues a mail and lets its last try fail. @returns the id of the delivery. */
async function failed(key: string, event: 'password_changed' | 'password_reset' = 'password_changed'): Promise<number> {
  const template_context = { first_name: '', role: '', headline: '', sentence: '', url: '' };
  const template_name = event === 'password_reset' ? 'password_reset.html' : 'account_notice.html';
  await admin.db.transaction((tx) => queueEmail(tx, { key, event, to, subject: key, template_name, template_context }));
  await admin.pool.query('update graphile_worker._private_jobs set max_attempts = 1');
  isDown = true;
  await work();
  isDown = false;
  const { rows } = await admin.pool.query('select id from delivery where subject = $1', [key]);
  return rows[0].id;
}
const stateOf = async (id: number) => (await admin.pool.query('select state from delivery where id = $1', [id])).rows[0].state;

test('[NOTIFY-6] a failed delivery says why, and is tried again once, however often staff ask', async () => {
  const id = await failed('Notice');
  assert.equal(await stateOf(id), 'failed');
  const page = await root.get(`/deliveries/${id}`);
  assert.match(page.text, /Mailpit answered 500\./);
  const answers = await Promise.all(Array.from({ length: 6 }, () => root.post(`/deliveries/${id}/retry`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 409, 409, 409, 409, 409]);
  await work();
  assert.deepEqual([await stateOf(id), sent], ['sent', 1]);
  assert.equal((await root.post(`/deliveries/${id}/retry`)).status, 409);
  assert.equal((await root.post('/deliveries/999999/retry')).status, 404);
});

test('[NOTIFY-6] a mail that was reported as bounced is sent again without that report, each time staff ask', async () => {
  const id = await failed('Bounced');
  const [{ retry_job }] = (await admin.pool.query('select retry_job from delivery where id = $1', [id])).rows;
  for (let time = 0; time < 2; time += 1) {
    await admin.pool.query(
      `update delivery set state = 'failed', error = '550', outcome = 'bounced', outcome_at = now(), retry_job = $2 where id = $1`,
      [id, retry_job],
    );
    assert.equal((await root.post(`/deliveries/${id}/retry`)).status, 303);
    await work();
    const { rows } = await admin.pool.query('select state, error, outcome, outcome_at from delivery where id = $1', [id]);
    assert.deepEqual(rows, [{ state: 'sent', error: null, outcome: null, outcome_at: null }]);
  }
});

test('[NOTIFY-8] a mail with a link that gives access to an account is never kept for later', async () => {
  const id = await failed('Reset', 'password_reset');
  const other = await failed('News');
  assert.doesNotMatch((await root.get(`/deliveries/${id}`)).text, /Try again/);
  assert.match((await root.get(`/deliveries/${other}`)).text, /Try again/);
  assert.equal((await root.post(`/deliveries/${id}/retry`)).status, 409);
  const { rows } = await admin.pool.query('select retry_job from delivery where id = $1', [id]);
  assert.equal(rows[0].retry_job, null);
});

test('[NOTIFY-7] mail to a suppressed address is kept for later, except codes and links', async () => {
  const suppress = `insert into suppression (channel, address, reason, source) values ('email', 'parent@demo.test', 'bounced', 'sendgrid')`;
  await admin.pool.query(suppress);
  const sendSuppressed = async (key: string, event: 'password_changed' | 'password_reset') => {
    const id = await failed(key, event);
    const { rows } = await admin.pool.query('select state, retry_job is not null as is_kept from delivery where id = $1', [id]);
    return rows[0];
  };
  assert.deepEqual(await sendSuppressed('Notice for later', 'password_changed'), {
    state: 'suppressed',
    is_kept: true,
  });
  assert.deepEqual(await sendSuppressed('Link for later', 'password_reset'), { state: 'suppressed', is_kept: false });
  await admin.pool.query('delete from suppression');
});

test('[NOTIFY-7] staff see the suppression list and lift an entry, which the audit log records', async () => {
  const { rows } = await admin.pool.query(
    `insert into suppression (channel, address, reason, source, detail)
     values ('email', 'parent@demo.test', 'bounced', 'sendgrid', '550 <unknown>') returning id`,
  );
  const [{ id }] = rows;
  const page = await root.get('/deliveries/suppressions');
  assert.match(page.text, /parent@demo\.test/);
  assert.match(page.text, /550 &#60;unknown&#62;/);
  assert.equal((await viewer.post(`/deliveries/suppressions/${id}/lift`)).status, 403);
  assert.equal((await root.post(`/deliveries/suppressions/${id}/lift`)).status, 303);
  assert.equal((await root.post(`/deliveries/suppressions/${id}/lift`)).status, 404);
  const audit = await admin.pool.query("select subject_label from audit_entry where action = 'suppression.lift'");
  assert.deepEqual(audit.rows, [{ subject_label: 'parent@demo.test' }]);
  assert.match((await root.get('/deliveries/suppressions?done=1')).text, /No blocked addresses/);
});

test('[NOTIFY-12, AUDIT-1] a job that was given up is shown with its reason, and tried again', async () => {
  for (const message_id of ['x', 'y'] as unknown[] as number[])
    await admin.db.transaction((tx) => enqueue(tx, 'announce_message', { message_id }, { maxAttempts: 1 }));
  await work();
  const page = await root.get('/deliveries/jobs');
  for (const shown of [/Announce message/, /invalid input syntax/, /Try again/]) assert.match(page.text, shown);
  const idsIn = ({ text }: Page) => [...text.matchAll(/action="\/deliveries\/jobs\/(\d+)\/retry"/g)].map(([, id]) => id);
  const [other, id] = idsIn(page);
  assert.ok(id);
  assert.doesNotMatch((await viewer.get('/deliveries/jobs')).text, /invalid input syntax|Try again/);
  assert.equal((await viewer.post(`/deliveries/jobs/${id}/retry`)).status, 403);
  assert.equal((await root.post(`/deliveries/jobs/${id}/retry`)).status, 303);
  assert.deepEqual(idsIn(await root.get('/deliveries/jobs')), [other]);
  assert.equal((await root.post(`/deliveries/jobs/${id}/retry`)).status, 404);
  const audit = await admin.pool.query("select subject_id, subject_label from audit_entry where action = 'job.retry'");
  assert.deepEqual(audit.rows, [{ subject_id: Number(id), subject_label: 'announce_message' }]);
});

describe('[EMAIL-16] the provider templates of staff pages', () => {
  test('[EMAIL-16] a mail has the template that its page names, also if a job of the page sends it', async () => {
    const person = { email_address: 'template@demo.test', first_name: 'Tem', last_name: 'Plate', user_type: 'surrogate' };
    assert.equal((await root.fill(await root.get('/users/new'), '/users', person)).status, 303);
    const milestone = { kind: 'pregnancy_confirmed', happened_on: '2026-03-01', note: '', funding_required: '$12,500.00' };
    assert.equal((await root.post('/cases/1/milestones', milestone)).status, 303);
    await work();
    assert.deepEqual(
      ['You’re invited to Case Platform', 'Wonderful news, and a deposit is needed now', 'Notice'].map((subject) =>
        templates.get(subject),
      ),
      ['invitation', 'pregnancy-funding', undefined],
    );
  });

  test('[EMAIL-16] every kind of mail that a staff page can cause has a template', () => {
    const folder = new URL('../../../apps/admin/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const declared = files.flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/^ +mails: \{([^}]*)\}/gm)].flatMap(([, mails = '']) =>
        [...mails.matchAll(/(\w+): '/g)].map(([, event]) => event),
      ),
    );
    const withMail = Object.entries(EVENTS).flatMap(([name, { channels }]) => ('email' in channels ? [name] : []));
    assert.deepEqual([...new Set(declared), ...ELSEWHERE].sort(), withMail.sort());
  });
});
