import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { warnOfShortfalls } from '@case-platform/modules/banking';
import { CASE_1 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { bringTo, fundCase } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';

/** The last hours of the year in New York, whose months are those of a projection, and the next year elsewhere. */
const NOW = new Date('2027-01-01T03:00:00Z');
const api = await startApi({ now: () => NOW });
const { parent, parent2, surrogate, bothParent: stranger, escrow, viewer } = await api.everyone();
const path = `/api/cases/${CASE_1}/projection`;

async function plan(due: string, cents: number): Promise<number> {
  const [made] = await query<{ id: number }>(
    api.db,
    sql`insert into scheduled_payment (case_id, category, due_date, amount_cents, payee_id)
        values (${CASE_1}, 'Allowance', ${due}, ${cents}, ${surrogate.userId}) returning id`,
  );
  return made?.id ?? 0;
}
const available = async () => (await parent.get(`/api/cases/${CASE_1}`)).body.balance.available_cents;

/** Only the test itself plans payments, and the case has money. */
beforeEach(async () => {
  await query(api.db, sql`update scheduled_payment set status = 'cancelled', paid_at = null where status = 'planned'`);
  await fundCase(api, CASE_1, 100_000);
});

test('[PROJECTION-1, PROJECTION-2] a projection subtracts planned payments month by month and counts overdue ones now', async () => {
  const had = await available();
  await plan('2026-11-05', 1_000);
  await plan('2026-12-31', 2_000);
  await plan('2027-02-01', had);
  const last = await plan('2027-03-31', 500);
  const { body } = await parent.get(`${path}?months=4`);
  assert.deepEqual(body, {
    data: [
      { month: '2026-12', planned_cents: 3_000, available_cents: had - 3_000 },
      { month: '2027-01', planned_cents: 0, available_cents: had - 3_000 },
      { month: '2027-02', planned_cents: had, available_cents: -3_000 },
      { month: '2027-03', planned_cents: 500, available_cents: -3_500 },
    ],
    shortfall: { month: '2027-02', missing_cents: 3_500 },
  });
  assert.deepEqual((await parent.get(`${path}?months=2`)).body.shortfall, body.shortfall, 'however many months are shown');
  await fundCase(api, CASE_1, 3_500);
  assert.equal((await parent.get(path)).body.shortfall, null, 'covered to the last cent');
  await query(api.db, sql`update scheduled_payment set amount_cents = 4000 where id = ${last}`);
  assert.deepEqual((await parent.get(path)).body.shortfall, { month: '2027-03', missing_cents: 3_500 });
  assert.equal((await parent.get(path)).body.data.length, 12);
  for (const months of ['0', '25', 'x']) assert.equal((await parent.get(`${path}?months=${months}`)).status, 422);
});

test('[PROJECTION-2] the projection, home, the case in lists, and the notice name one shortfall, also of payments in years', async () => {
  const had = await available();
  await plan('2027-03-31', had + 100);
  await plan('2029-05-01', 2_000);
  const shortfall = { month: '2027-03', missing_cents: 2_100 };
  assert.deepEqual((await parent.get(path)).body.shortfall, shortfall);
  const home = (await parent.get('/api/home')).body;
  const { case_id, case_name, ...ofHome } = home.shortfall;
  assert.deepEqual([case_id, ofHome], [CASE_1, shortfall]);
  const ofCase = ({ id }: { id: number }) => id === CASE_1;
  assert.deepEqual(home.cases.find(ofCase).shortfall, shortfall);
  const listed = (await parent.get('/api/cases?overview=true')).body.data.find(ofCase);
  assert.deepEqual(listed.overview.shortfall, shortfall);
  const overviewOfSurrogate = (await surrogate.get('/api/cases?overview=true')).body.data.find(ofCase).overview;
  assert.equal(overviewOfSurrogate.shortfall, null);
  await api.pool.query('delete from funds_short_notice');
  await warnOfShortfalls({ db: api.db, webUrl: '', adminUrl: '' }, NOW);
  const readNotice = async () => (await api.pool.query('select short_in::text, missing_cents::int from funds_short_notice')).rows;
  assert.deepEqual(await readNotice(), [{ short_in: '2027-03-01', missing_cents: 2_100 }]);

  // A plan that runs short in more than a year is shown, and no one is mailed about it yet.
  await fundCase(api, CASE_1, 100);
  assert.deepEqual((await parent.get(path)).body.shortfall, { month: '2029-05', missing_cents: 2_000 });
  await api.pool.query('delete from funds_short_notice');
  await warnOfShortfalls({ db: api.db, webUrl: '', adminUrl: '' }, NOW);
  assert.deepEqual(await readNotice(), []);
  for (const [due, isSoon] of [
    ['2027-12-01', false],
    ['2027-11-30', true],
  ] as const) {
    await plan(due, (await available()) + 1);
    await warnOfShortfalls({ db: api.db, webUrl: '', adminUrl: '' }, NOW);
    assert.equal((await readNotice()).length === 1, isSoon, due);
  }
});

test('[PROJECTION-1] money reserved for a planned payment is not planned once more', async () => {
  const first = async () => (await parent.get(path)).body.data[0];
  const before = await first();
  const id = await plan('2026-12-15', 700);
  assert.equal((await first()).available_cents, before.available_cents - 700);
  await bringTo(api, { maker: surrogate, checker: parent }, 'approved', {
    amount_cents: 700,
    scheduled_payment_id: id,
  });
  assert.deepEqual(await first(), { ...before, available_cents: before.available_cents - 700 });
});

test('[STATEMENT-2] the projection is for those who may see the balance', async () => {
  assert.equal((await escrow.get(path)).status, 200);
  assert.deepEqual([(await surrogate.get(path)).status, (await surrogate.get(path)).body.code], [403, 'not_visible']);
  for (const who of [stranger, viewer]) assert.equal((await who.get(path)).status, 404);
});

test('[PROJECTION-3] funds_short is mailed to the parents and the escrow specialist once a month while it lasts, with two workers or one', async () => {
  const context = { db: api.db, webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
  const listRecipients = async () => {
    const { rows } = await api.pool.query(
      "select recipient from delivery where channel = 'email' and event = 'funds_short' order by recipient",
    );
    return rows.map(({ recipient }) => recipient);
  };
  const people = ['escrow@demo.test', 'parent2@demo.test', 'parent@demo.test'];
  await plan('2027-03-31', (await available()) + 500);
  await Promise.all([warnOfShortfalls(context, NOW), warnOfShortfalls(context, NOW)]);
  assert.deepEqual(await listRecipients(), people);
  await warnOfShortfalls(context, new Date('2027-01-01T04:59:00Z'));
  assert.deepEqual(await listRecipients(), people, 'once a month');
  await warnOfShortfalls(context, new Date('2027-01-01T05:00:00Z'));
  assert.deepEqual(
    await listRecipients(),
    people.flatMap((one) => [one, one]),
    'again in the next',
  );
  const places = (leftAt: string) =>
    api.pool.query(`update case_participant set left_at = ${leftAt} where user_id = $1`, [parent2.userId]);
  await places('now()');
  await warnOfShortfalls(context, new Date('2027-02-01T12:00:00Z'));
  assert.equal((await listRecipients()).filter((one) => one === 'parent2@demo.test').length, 2, 'not who has left');
  assert.equal((await listRecipients()).length, 8);
  await places('null');
  await fundCase(api, CASE_1, 100_000_000);
  await warnOfShortfalls(context, new Date('2027-03-01T12:00:00Z'));
  assert.equal((await listRecipients()).length, 8, 'not after the deposit');
});

test('[PROJECTION-3] a case that runs short after another one was warned of in the same month is warned of too', async () => {
  const context = { db: api.db, webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };
  const listWarned = async () =>
    (await api.pool.query('select case_id::int as id from funds_short_notice order by case_id')).rows.map(({ id }) => id);
  await api.pool.query('delete from funds_short_notice');
  await plan('2027-03-31', (await available()) + 500);
  await warnOfShortfalls(context, NOW);
  assert.deepEqual(await listWarned(), [CASE_1]);
  const later = await copyCase(api, CASE_1);
  await api.pool.query(
    `insert into scheduled_payment (case_id, category, due_date, amount_cents, payee_id)
     select $1, category, due_date, amount_cents, payee_id from scheduled_payment where status = 'planned'`,
    [later],
  );
  await warnOfShortfalls(context, NOW);
  assert.deepEqual(await listWarned(), [CASE_1, later]);
  await api.pool.query("update case_file set status = 'closed' where id = $1", [later]);
});

for (const ended of ['closed', 'cancelled'])
  test(`[PROJECTION-1, PROJECTION-3] a case that is ${ended} plans nothing, and no one is warned about it`, async (t) => {
    await plan('2027-01-31', (await available()) + 500);
    assert.notEqual((await parent.get(path)).body.shortfall, null);
    const setStatus = (status: string) => api.pool.query('update case_file set status = $2 where id = $1', [CASE_1, status]);
    t.after(() => setStatus('active'));
    await setStatus(ended);
    const { data, shortfall } = (await parent.get(path)).body;
    const planned = data.map(({ planned_cents }: { planned_cents: number }) => planned_cents);
    assert.deepEqual([Math.max(...planned), shortfall], [0, null]);
    await api.pool.query('delete from funds_short_notice');
    await warnOfShortfalls({ db: api.db, webUrl: '', adminUrl: '' }, NOW);
    assert.equal((await api.pool.query('select from funds_short_notice')).rowCount, 0);
  });

test('[PROJECTION-3, NOTIFY-5] funds_short can be turned off, each channel separately', async () => {
  const off = ['email', 'push'].map((channel) => ({ event: 'funds_short', channel, enabled: false }));
  for (const preference of off) {
    const body = JSON.stringify({ preferences: [preference] });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await parent.call('PUT', '/api/notifications/preferences', { body, headers })).status, 200);
    assert.equal((await surrogate.call('PUT', '/api/notifications/preferences', { body, headers })).status, 422);
  }
});
