import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { answerIdempotencyKey, claimIdempotencyKey, releaseIdempotencyKey } from '@case-platform/lib/idempotency';
import { reviveDeadJob } from '@case-platform/lib/jobs/dead-jobs';
import { returnJobs } from '@case-platform/lib/jobs/worker-heartbeat';
import {
  liftSuppression,
  queueEmail,
  queuePushes,
  recordReports,
  removeDevice,
  retryDelivery,
  setByUnsubscribeLink,
  setPreferences,
  subscribe,
  unsubscribeAll,
} from '@case-platform/modules/notifications';
import { removeOwnFile } from '@case-platform/modules/storage';
import { beginAttempt, endAttempt } from '../../modules/notifications/deliveries.ts';
import { issueUnsubscribeToken } from '../../modules/notifications/email/unsubscribe.ts';
import type { ProviderReport } from '../../modules/notifications/provider-reports.ts';
import { TEST_VAPID } from '../support/platform.ts';
import type { Command } from './command.ts';
import { hashOf, NOW, type Twins } from './seed-twins.ts';

const by = ({ people }: Twins) => ({ actor: people.eve, origin: SYSTEM });
const run = (tx: Transaction, text: string) => tx.query({ text, values: [] });
const KEYS = {
  p256dh: 'BG-9NFA07rWa6R10tZ5-a3a0NZytAr89m4wJW_BadAYINgWZ_Sc1lMkGuQ4Yki5uJvFyMUeWqT7yBzvRVzBsAFU',
  auth: 'AAAAAAAAAAAAAAAAAAAAAA',
};
const subscribeAnn = (tx: Transaction, { people }: Twins, device: string) =>
  subscribe({ db: tx, push: { ...TEST_VAPID, allowedHosts: ['127.0.0.1'], production: false } }, people.ann, {
    endpoint: `http://127.0.0.1/${device}`,
    keys: KEYS,
  });
/** Notifies Ann by mail and by push. */
async function notifyAnn(tx: Transaction, { people: { ann } }: Twins): Promise<void> {
  const about = { key: 'x', event: 'new_message', to: ann } as const;
  const template_name = 'message_alert.html';
  await queueEmail(tx, { ...about, subject: 'x', template_name, template_context: {} });
  const payload = { title: 'x', body: 'x', data: { url: '/' }, tag: 'x' };
  await queuePushes(tx, [{ ...about, to: [about.to], request: undefined, payload }]);
}
const report = ({ id }: Twins, more: Partial<ProviderReport>): ProviderReport => ({
  report_id: 'one',
  happened_at: NOW,
  delivery_id: id('delivery', 'Ann-email-queued'),
  provider_id: null,
  address: 'Ann@Twins.test',
  outcome: null,
  suppress: null,
  detail: 'Told',
  ...more,
});
const take = (tx: Transaction, reports: ProviderReport[]) =>
  recordReports(tx, { channel: 'email', source: 'sendgrid' }, reports, NOW);

export const NOTICE_COMMANDS: Command[] = [
  {
    name: 'switching one notification on, off, and on again',
    work: (tx, { people }, round) =>
      setPreferences(tx, people.ann, [{ event: 'new_message', channel: 'email', enabled: round % 2 === 0 }]),
    runs: 3,
  },
  {
    name: 'switching a notification off by the link of a mail',
    prepare: (tx) => run(tx, 'update notification_preference set enabled = true'),
    work: async (tx, { id }) => {
      const token = await issueUnsubscribeToken(tx, id('delivery', 'Ann-email-queued'));
      return setByUnsubscribeLink(tx, token ?? '', false);
    },
    runs: 2,
  },
  {
    name: 'a notification whose mail is off and whose push is on',
    prepare: (tx) => run(tx, `update notification_preference set enabled = true where channel = 'push'`),
    work: notifyAnn,
    runs: 2,
  },
  {
    name: 'a notification that only others have switched off',
    prepare: (tx, { people: { ann } }) =>
      tx.query({ text: 'update notification_preference set enabled = true where user_id = $1', values: [ann.id] }),
    work: notifyAnn,
  },
  {
    name: 'a notification while another one is off',
    prepare: (tx) => run(tx, `update notification_preference set event = 'payment_arrived'`),
    work: notifyAnn,
  },
  {
    name: 'a notification whose push is off and whose mail is on',
    prepare: (tx) => run(tx, `update notification_preference set enabled = true where channel = 'email'`),
    work: notifyAnn,
  },
  {
    name: 'a device that turns notifications on again',
    prepare: (tx) => run(tx, `update push_subscription set renew_since = now() - interval '1 day'`),
    work: (tx, twins) => subscribeAnn(tx, twins, 'Ann-desk'),
    runs: 2,
  },
  {
    name: 'a device of a person whose other one has waited for 30 days',
    prepare: (tx) => run(tx, `update push_subscription set renew_since = now() - interval '30 days 1 second'`),
    work: (tx, twins) => subscribeAnn(tx, twins, 'Ann-desk'),
  },
  {
    name: 'a device of a person whose other one has waited for almost 30 days',
    prepare: (tx) => run(tx, `update push_subscription set renew_since = now() - interval '30 days'`),
    work: (tx, twins) => subscribeAnn(tx, twins, 'Ann-desk'),
  },
  {
    name: 'a device that another person signed in on',
    work: (tx, twins) => subscribeAnn(tx, twins, 'Ben-desk'),
    runs: 2,
  },
  {
    name: 'turning all notifications of a person off',
    work: (tx, { people }) => unsubscribeAll(tx, people.ann),
    runs: 2,
  },
  {
    name: 'removing a device',
    work: (tx, { people, id }) => removeDevice(tx, people.ann, id('push_subscription', 'Ann-desk')),
    runs: 2,
  },
  {
    name: 'beginning to deliver to an address that is blocked on another channel only',
    prepare: async (tx) => {
      await run(tx, `delete from suppression where channel = 'email'`);
      await run(tx, `update suppression set address = 'ann@twins.test' where address like '%0161'`);
    },
    work: (tx, { id }) => beginAttempt(tx, { delivery_id: id('delivery', 'Ann-email-queued') }),
  },
  {
    name: 'beginning to deliver to a blocked address, in other letters',
    prepare: (tx) => run(tx, `update delivery set recipient = initcap(recipient) where channel = 'email'`),
    work: (tx, { id }) => beginAttempt(tx, { delivery_id: id('delivery', 'Ann-email-queued') }),
    runs: 2,
  },
  {
    name: 'ending a delivery',
    work: (tx, { id }) => endAttempt(tx, { delivery_id: id('delivery', 'Ann-push-queued') }, { state: 'sent' }),
  },
  ...(
    [
      { state: 'sent', provider_id: 'new' },
      { state: 'sent' },
      { state: 'queued', error: 'Not now.' },
      { state: 'failed', error: 'Never.' },
      { state: 'suppressed', error: 'The device was unsubscribed.' },
    ] as const
  ).flatMap((outcome) =>
    [null, 'bounced'].map((reported) => ({
      name: `another attempt that ends as ${JSON.stringify(outcome)}${reported === null ? '' : ', after a bounce was reported'}`,
      prepare: (tx: Transaction) =>
        tx.query({
          text: `update delivery set attempts = 1, provider_id = 'old', outcome = $1, error = 'Earlier.',
                                     state = case when $1 = 'bounced' then 'failed' else state end where state = 'queued'`,
          values: [reported],
        }),
      work: (tx: Transaction, { id }: Twins) => endAttempt(tx, { delivery_id: id('delivery', 'Ann-email-queued') }, outcome),
    })),
  ),
  ...['email', 'sms', 'push'].map((channel) => ({
    name: `trying a delivery by ${channel} again that failed, once`,
    work: (tx: Transaction, twins: Twins) => retryDelivery(tx, twins.id('delivery', `Ann-${channel}-failed`), by(twins)),
    runs: 2,
  })),
  {
    name: 'lifting a suppression that was lifted once before',
    work: (tx, twins) => liftSuppression(tx, twins.id('suppression', 'Ann-email'), by(twins)),
    runs: 2,
  },
  {
    name: 'a report about a mail, twice in one delivery and once more',
    prepare: (tx) => run(tx, 'delete from suppression'),
    work: (tx, twins) => {
      const bounced = report(twins, { outcome: 'bounced', suppress: 'bounced' });
      return take(tx, [bounced, bounced]);
    },
    runs: 2,
  },
  {
    name: 'uploading and removing a picture of one’s own',
    work: (tx, { people: { ann } }) =>
      removeOwnFile(tx, { user_id: ann.id, purpose: 'profile_picture' }, { actor: ann, origin: SYSTEM }),
    runs: 2,
  },
  {
    name: 'answering a request with a key that another person uses too',
    work: (tx, { people: { ann } }) =>
      answerIdempotencyKey(tx, { userId: ann.id, key: 'running', claimedAt: NOW, answer: undefined }, { id: 2 }),
    runs: 2,
  },
  {
    name: 'giving back a key that another person uses too',
    work: (tx, { people: { ann } }) => releaseIdempotencyKey(tx, { userId: ann.id, key: 'running', claimedAt: NOW }),
    runs: 2,
  },
  {
    name: 'giving back a key that was answered',
    work: (tx, { people: { ann } }) => releaseIdempotencyKey(tx, { userId: ann.id, key: 'answered', claimedAt: NOW }),
  },
  {
    name: 'taking over a key whose request was abandoned',
    prepare: (tx) => run(tx, `update idempotency_key set created_at = now() - interval '3 minutes'`),
    work: (tx, { people: { ann } }) => claimIdempotencyKey(tx, ann.id, 'running', hashOf('other'), new Date()),
    runs: 2,
  },
  {
    name: 'trying one of two dead jobs again, once',
    prepare: async (tx) => {
      for (const key of ['one', 'other']) await run(tx, `select graphile_worker.add_job('of ${key}', max_attempts := 1)`);
      await run(tx, 'update graphile_worker._private_jobs set attempts = max_attempts');
    },
    work: async (tx) => {
      const { rows } = await run(tx, `select min(id)::int as id from graphile_worker.jobs where task_identifier = 'of one'`);
      return reviveDeadJob(tx, (rows as [{ id: number }])[0].id);
    },
    runs: 2,
  },
  {
    name: 'trying a job again that waits by itself, beside a dead one',
    prepare: async (tx) => {
      for (const key of ['one', 'other']) await run(tx, `select graphile_worker.add_job('of ${key}')`);
      await run(
        tx,
        `update graphile_worker._private_jobs j set attempts = case t.identifier when 'of one' then 1 else max_attempts end
           from graphile_worker._private_tasks t where t.id = j.task_id and t.identifier like 'of %'`,
      );
    },
    work: async (tx) => {
      const { rows } = await run(tx, `select min(id)::int as id from graphile_worker.jobs where task_identifier = 'of one'`);
      return reviveDeadJob(tx, (rows as [{ id: number }])[0].id);
    },
  },
  {
    name: 'giving back the jobs of one worker',
    prepare: async (tx) => {
      for (const worker of ['ends', 'goes on'])
        await run(tx, `select graphile_worker.add_job('of ${worker}', queue_name := '${worker}')`);
      await run(
        tx,
        `update graphile_worker._private_jobs j set locked_by = substr(t.identifier, 4), locked_at = now(), attempts = 1
           from graphile_worker._private_tasks t where t.id = j.task_id and t.identifier like 'of %'`,
      );
    },
    work: (tx) => returnJobs(tx as never, ['ends']),
    runs: 2,
  },
];
