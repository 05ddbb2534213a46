import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import type { SuppressionReason, WholeDelivery } from '@case-platform/modules/notifications';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import { deadJobsPage } from './dead-jobs-page.ts';
import { deliveryPage } from './delivery-page.ts';
import { CHANNEL_WORDS, DELIVERY_STATES, STATE_LOOKS } from './delivery-words.ts';
import { suppressionsPage } from './suppressions-page.ts';

/** Renders the pages about deliveries without a server, in every state and for each permission. */

const at = (hour: number) => new Date(Date.UTC(2023, 4, 6, hour));
const frameOf = (...permissions: Permission[]) => staffFrame({ permissions, now: at(23) });
const ALL = frameOf('view_deliveries', 'view_users');
const NOTICES = { done: undefined, refused: undefined };

const DELIVERY: WholeDelivery = {
  id: 7,
  channel: 'email',
  event: 'new_message',
  user_id: 3,
  recipient: 'ann@demo.test',
  subject: 'A subject',
  state: 'sent',
  attempts: 2,
  provider_id: 'provider-number',
  error: null,
  created_at: at(1),
  sent_at: at(2),
  outcome: null,
  outcome_at: null,
  content: null,
  can_retry: false,
  request_id: 'request-number',
};
const pageOf = (more: Partial<WholeDelivery> = {}, frame = ALL) =>
  tightMarkup(deliveryPage(frame, { delivery: { ...DELIVERY, ...more }, ...NOTICES }));
/** The facts of a page by their names, with the exact times. */
const factsOf = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([\s\S]*?)<\/dd>/g)].map(([, name = '', value = '']) => [
      name,
      /datetime="([^"]+)"/.exec(value)?.[1] ??
        value
          .replaceAll(/<[^>]+>/g, '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
    ]),
  );

test('[NOTIFY-1] each state of a delivery, and what its provider reported later, has its own word and time', () => {
  assert.deepEqual(factsOf(pageOf()), {
    Channel: 'Email',
    To: 'ann@demo.test',
    Reason: 'New message',
    State: 'Sent after 2 tries',
    Queued: at(1).toISOString(),
    Sent: at(2).toISOString(),
    Request: 'request-number',
    'Provider’s reference': 'provider-number',
  });
  const states = DELIVERY_STATES.map((state) => factsOf(pageOf({ state, attempts: 1 })).State);
  assert.deepEqual(states, ['Waiting after 1 try', 'Sent after 1 try', 'Failed after 1 try', 'Not needed after 1 try']);
  for (const [outcome, name, other] of [
    ['delivered', 'Delivered', 'Bounced'],
    ['bounced', 'Bounced', 'Delivered'],
  ] as const) {
    const facts = factsOf(pageOf({ outcome, outcome_at: at(3) }));
    assert.deepEqual([facts[name], facts[other]], [at(3).toISOString(), undefined]);
  }
  assert.equal(factsOf(pageOf({ sent_at: null })).Sent, undefined);
  assert.deepEqual(
    Object.values(CHANNEL_WORDS).map(({ words }) => words),
    ['Email', 'Text message', 'Push'],
  );
  assert.equal(new Set(Object.values(STATE_LOOKS).map(({ look }) => look)).size, DELIVERY_STATES.length);
});

test('[NOTIFY-1, SHOWN-3] content and button are for one permission, the recipient for another', () => {
  const content = { html: '<p>Hello</p>', text: 'The code is 123456' };
  const failed = { state: 'failed', can_retry: true, content, error: 'ann@demo.test is unknown' } as const;
  const shown = (...permissions: Permission[]) => {
    const page = pageOf(failed, frameOf(...permissions));
    return ['123456', '/deliveries/7/content', '/deliveries/7/retry', 'ann@demo.test'].map((part) => page.includes(part));
  };
  assert.deepEqual(shown('view_deliveries', 'view_users'), [true, true, true, true]);
  assert.deepEqual(shown('view_deliveries'), [true, true, true, false]);
  assert.deepEqual(shown('edit_users'), [false, false, false, true]);
  assert.deepEqual(shown(), [false, false, false, false]);
  assert.ok(!pageOf({ ...failed, can_retry: false }).includes('/deliveries/7/retry'));
  // No provider has a message that was kept here instead of being sent.
  assert.equal(factsOf(pageOf({ content }))['Provider’s reference'], undefined);
  assert.match(pageOf(failed), /is-error"[\s\S]*What went wrong/);
  assert.match(pageOf({ ...failed, state: 'queued' }), /is-waiting"[\s\S]*What went wrong/);
});

test('[NOTIFY-7] each reason of a suppression has its own words', () => {
  const reasons: Record<SuppressionReason, string> = {
    bounced: 'Mail bounced',
    invalid: 'Not a working address',
    unsubscribed: 'Unsubscribed',
    complained: 'Marked as spam',
  };
  const data = (Object.keys(reasons) as SuppressionReason[]).map((reason, id) => ({
    id,
    reason,
    channel: 'email' as const,
    address: 'ann@demo.test',
    source: 'sendgrid' as const,
    detail: '',
    created_at: at(1),
  }));
  const page = tightMarkup(suppressionsPage(ALL, { data, before: undefined, next_before: null, ...NOTICES }));
  const shown = [...page.matchAll(/data-label="Why" class="cell-wide">\s*([^<]+?)\s*</g)].map(([, words]) => words);
  assert.deepEqual(shown, Object.values(reasons));
});

test('[NOTIFY-12] why a job failed, and the button, are for those who may view deliveries', () => {
  const job = { id: 5, task: 'deliver_email', attempts: 9, created_at: at(1), updated_at: at(2) };
  const jobs = [
    { ...job, last_error: 'ann@demo.test is unknown', delivery_id: 7 },
    { ...job, last_error: null, delivery_id: null },
  ];
  const parts = ['ann@demo.test', 'The process working on it was stopped.', '/deliveries/jobs/5/retry'];
  const shown = (...permissions: Permission[]) => {
    const page = tightMarkup(deadJobsPage(frameOf(...permissions), { jobs, ...NOTICES }));
    return parts.map((part) => page.includes(part));
  };
  assert.deepEqual(shown('view_deliveries'), [true, true, true]);
  assert.deepEqual(shown('view_users'), [false, false, false]);
});
