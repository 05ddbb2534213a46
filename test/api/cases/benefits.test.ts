import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { DisbursementStatus } from '@case-platform/modules/disbursements';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { grant } from '../../support/grant.ts';
import { bringTo, draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
await fundCase(api, CASE_1, 900_000_000);
await grant(api.pool, 'escrow', 'edit_benefits');
const { surrogate, parent, manager, escrow, viewer, root, bothSurrogate: stranger } = await api.everyone();
const PATH = `/api/cases/${CASE_1}/benefits`;
const TRAVEL = {
  category: 'Travel',
  cap_cents: 100_000,
  period: 'case',
  note: 'Section 4 of the contract',
  compensation: false,
} as const;

const put = (who: Client, data: object[], path = PATH) =>
  who.call('PUT', path, { body: JSON.stringify({ data }), headers: { 'content-type': 'application/json' } });
const setBenefits = async (...data: object[]) => {
  const answer = await put(escrow, data);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};
const figures = async () => {
  const { data } = (await surrogate.get(PATH)).body;
  return data.map(({ used_cents, held_cents, left_cents }: Record<string, number>) => [used_cents, held_cents, left_cents]);
};
const request = (status: DisbursementStatus, amount_cents: number, fields: object = {}) =>
  bringTo(api, { maker: surrogate, checker: parent }, status, { amount_cents, ...fields });
const benefitOf = async (id: number) => (await parent.get(`/api/disbursements/${id}`)).body.benefit;
const approve = async (who: Client, id: number, body: object = {}) => {
  const { version } = (await who.get(`/api/disbursements/${id}`)).body;
  return who.post(`/api/disbursements/${id}/approve`, { version, ...body });
};

/** Removes the requests of earlier tests from every limit, and the limits themselves. */
async function forgetEarlier(): Promise<void> {
  await api.pool.query("update disbursement_request set category = 'Before' where case_id = $1", [CASE_1]);
  await api.pool.query('delete from case_benefit');
}
beforeEach(forgetEarlier);

/** The first moment of the current month in New York (CONTRACT-2). */
const MONTH = `date_trunc('month', now() at time zone 'America/New_York')`;
/** Runs a check that is valid only within one month. If the month ends during the check, it runs once more. */
async function withinMonth(check: () => Promise<void>): Promise<void> {
  const present = async () => (await api.pool.query(`select ${MONTH}::text as month`)).rows[0].month;
  const began = await present();
  try {
    await check();
  } catch (error) {
    if ((await present()) === began) throw error;
    await forgetEarlier();
    await check();
  }
}

describe('contract limits', () => {
  test('[CONTRACT-1] a limit of another case for the same category does not count for a request', async () => {
    await api.pool.query(
      "insert into case_benefit (case_id, category, period, cap_cents, compensation) values ($1, 'Travel', 'case', 100, false)",
      [CASE_2],
    );
    await setBenefits(TRAVEL);
    const id = await request('submitted', 5_000);
    const { cap_cents, over_by_cents } = await benefitOf(id);
    assert.deepEqual([cap_cents, over_by_cents], [TRAVEL.cap_cents, 0]);
    await setBenefits();
    assert.equal(await benefitOf(id), null);
  });

  test('[CONTRACT-1] contract limits are set as a whole with edit_benefits, and read by everyone who sees the case', async () => {
    const written =
      "select action, before, after from audit_entry where action ~ '^case.*benefit$' and case_id = $1 order by id offset $2";
    const earlier = (await api.pool.query(written, [CASE_1, 0])).rows.length;
    const monthly = { category: 'Allowance', cap_cents: 30_000, period: 'month', note: '', compensation: false };
    const set = await put(escrow, [TRAVEL, monthly]);
    const unused = { used_cents: 0, held_cents: 0 };
    const expected = [
      { ...monthly, ...unused, left_cents: 30_000 },
      { ...TRAVEL, ...unused, left_cents: 100_000 },
    ];
    assert.deepEqual([set.status, set.body], [200, { data: expected }]);
    for (const who of [surrogate, parent, manager, escrow, root]) assert.deepEqual((await who.get(PATH)).body.data, expected);
    for (const who of [parent, surrogate, viewer]) assert.equal((await put(who, [])).status, 403);
    assert.equal((await stranger.get(PATH)).status, 404);
    assert.deepEqual((await put(escrow, [{ ...monthly, cap_cents: 40_000 }])).body.data, [
      { ...monthly, ...unused, cap_cents: 40_000, left_cents: 40_000 },
    ]);
    assert.deepEqual((await api.pool.query(written, [CASE_1, earlier])).rows, [
      { action: 'case.add_benefit', before: null, after: TRAVEL },
      { action: 'case.add_benefit', before: null, after: monthly },
      { action: 'case.change_benefit', before: monthly, after: { ...monthly, cap_cents: 40_000 } },
      { action: 'case.remove_benefit', before: TRAVEL, after: null },
    ]);
  });

  test('[CONTRACT-1, CASE-7] an invalid limit, and one on a foreign or closed case, is rejected, and nothing is set', async () => {
    await setBenefits(TRAVEL);
    const refused = [
      [{ ...TRAVEL, cap_cents: 0 }],
      [{ ...TRAVEL, cap_cents: 1.5 }],
      [{ ...TRAVEL, cap_cents: 10_000_000_000 }],
      [{ ...TRAVEL, period: 'year' }],
      [{ ...TRAVEL, category: ' ' }],
      [{ ...TRAVEL, category: '=1+1' }],
      [{ ...TRAVEL, note: 'x'.repeat(2001) }],
      ...[' travel ', 'Travel.', 'Tr\u0430vel', 'Trave1'].map((category) => [TRAVEL, { ...TRAVEL, category }]),
      ...['other', 'Other.', '\u041ether'].map((category) => [{ ...TRAVEL, category }]),
      Array.from({ length: 51 }, (_, at) => ({ ...TRAVEL, category: `Kind ${at}` })),
    ];
    for (const data of refused) assert.equal((await put(escrow, data)).status, 422, JSON.stringify(data));
    assert.equal((await put(escrow, [], '/api/cases/999999/benefits')).status, 404);
    await api.pool.query('update case_file set escrow_specialist_id = null where id = $1', [CASE_2]);
    await api.pool.query('delete from case_admin where case_id = $1', [CASE_2]);
    assert.equal((await put(escrow, [], `/api/cases/${CASE_2}/benefits`)).status, 404);
    await api.pool.query("update case_file set status = 'closed' where id = $1", [CASE_1]);
    assert.equal((await put(escrow, [])).body.code, 'case_closed');
    await api.pool.query("update case_file set status = 'active' where id = $1", [CASE_1]);
    assert.deepEqual(await figures(), [[0, 0, 100_000]]);
  });

  test('[CONTRACT-2] used is what is paid; requested is what is submitted, approved, or in a batch; the rest counts nowhere', async () => {
    await setBenefits(TRAVEL);
    const steps: [DisbursementStatus, number[]][] = [
      ['draft', [0, 0, 100_000]],
      ['cancelled', [0, 0, 100_000]],
      ['denied', [0, 0, 100_000]],
      ['returned', [0, 0, 100_000]],
      ['submitted', [0, 100, 99_900]],
      ['approved', [0, 200, 99_800]],
      ['batched', [0, 300, 99_700]],
      ['paid', [100, 300, 99_600]],
    ];
    for (const [status, expected] of steps) {
      await api.pool.query('update disbursement_request set category = upper(category) where id = $1', [
        await request(status, 100),
      ]);
      assert.deepEqual(await figures(), [expected], status);
    }
    await request('paid', 100_000, { category: 'Other' });
    assert.deepEqual(await figures(), [[100, 300, 99_600]], 'of another category');
    await move(surrogate, await request('submitted', 200_000), 'cancel');
    assert.deepEqual(await figures(), [[100, 300, 99_600]], 'taken back');
  });

  test('[CONTRACT-2] a monthly limit counts what was submitted in this month of New York, and is whole again in the next', () =>
    withinMonth(async () => {
      await setBenefits({ ...TRAVEL, period: 'month' });
      const id = await request('paid', 60_000);
      assert.deepEqual(await figures(), [[60_000, 0, 40_000]]);
      const sentAt = (moment: string) =>
        api.pool.query(`update disbursement_request set submitted_at = ${moment} where id = $1`, [id]);
      await sentAt(`${MONTH} at time zone 'America/New_York'`);
      assert.deepEqual(await figures(), [[60_000, 0, 40_000]], 'its first moment');
      await sentAt(`(${MONTH} - interval '1 second') at time zone 'America/New_York'`);
      assert.deepEqual(await figures(), [[0, 0, 100_000]], 'the last moment of the month before');
      const before = await request('submitted', 50_000);
      assert.equal((await benefitOf(before)).over_by_cents, 0);
      await api.pool.query(
        'update disbursement_request set submitted_at = (select submitted_at from disbursement_request where id = $1) where id = $2',
        [id, before],
      );
      assert.equal((await benefitOf(before)).over_by_cents, 10_000, 'it counts with those of its own month');
    }));
});

describe('a request and its benefit', () => {
  test('[CONTRACT-3] a request shows what others leave of its limit, and by how much it exceeds it', async () => {
    await setBenefits(TRAVEL);
    await request('paid', 50_000);
    await request('approved', 25_000);
    const { id, benefit } = await draft(surrogate, { amount_cents: 30_000 });
    const expected = {
      category: 'Travel',
      period: 'case',
      cap_cents: 100_000,
      used_cents: 50_000,
      held_cents: 25_000,
      left_cents: 25_000,
      over_by_cents: 5_000,
    };
    assert.deepEqual(benefit, expected);
    assert.deepEqual((await move(surrogate, id, 'submit')).benefit, expected);
    const listed = (await parent.get(`/api/cases/${CASE_1}/disbursements`)).body.data;
    assert.deepEqual(listed.find((one: { id: number }) => one.id === id).benefit, expected);
    assert.equal((await draft(surrogate, { category: 'Other' })).benefit, null);
    const denied = await move(parent, id, 'deny', { reason: 'Not covered' });
    assert.equal(denied.benefit, null, 'it counts against nothing');
  });

  test('[CONTRACT-4] exceeding a limit is never forbidden: approving asks for a reason, which is kept', async () => {
    await setBenefits(TRAVEL);
    const id = await request('submitted', 105_000);
    for (const body of [{}, { reason: ' ' }, { over_by_cents: 5_000 }]) {
      const refused = await approve(parent, id, body);
      assert.equal(refused.status, 422);
      assert.deepEqual(
        refused.body.errors.map(({ field }: { field: string }) => field),
        ['reason'],
      );
      assert.match(refused.body.errors[0].message, /\$50\.00 over .* Travel/);
    }
    const approved = await approve(parent, id, { reason: ' The birth was early. ', over_by_cents: 5_000 });
    assert.deepEqual([approved.status, approved.body.status], [200, 'approved']);
    assert.equal(approved.body.decision_reason, 'The birth was early.');
    const within = await request('submitted', 100, { category: 'Other' });
    assert.equal((await approve(parent, within)).body.decision_reason, null);
    const said = await request('submitted', 100, { category: 'Other' });
    assert.equal((await approve(parent, said, { reason: 'Agreed by phone' })).body.decision_reason, 'Agreed by phone');
  });

  test('[CONTRACT-3] two that exceed a limit together both show it, also when the second comes after the first was read', async () => {
    await setBenefits(TRAVEL);
    const [first, second] = [await request('submitted', 60_000), await draft(surrogate, { amount_cents: 60_000 })];
    const seen = (await parent.get(`/api/disbursements/${first}`)).body;
    assert.equal(seen.benefit.over_by_cents, 0);
    await move(surrogate, second.id, 'submit');
    const answer = await parent.post(`/api/disbursements/${first}/approve`, {
      version: seen.version,
      over_by_cents: seen.benefit.over_by_cents,
      reason: 'As always',
    });
    assert.deepEqual([answer.status, answer.body.code], [409, 'changed']);
    assert.deepEqual([answer.body.current.version, answer.body.current.benefit.over_by_cents], [seen.version, 20_000]);
    for (const id of [first, second.id]) assert.equal((await benefitOf(id)).over_by_cents, 20_000);
    assert.equal((await approve(parent, first, { over_by_cents: 30_000 })).status, 422, 'less than was seen');
    await move(parent, first, 'deny', { reason: 'The other one is enough' });
    const approval = await approve(parent, second.id, { over_by_cents: 20_000 });
    assert.equal(approval.status, 200, 'without the first, nothing goes over');
  });

  test('[CONTRACT-4] of two that are submitted and approved at the same time, one sees the other', async () => {
    await setBenefits(TRAVEL);
    const first = await request('submitted', 60_000);
    const second = await draft(surrogate, { amount_cents: 60_000 });
    const [decided, sent] = await Promise.all([approve(parent, first), surrogate.post(`/api/disbursements/${second.id}/submit`)]);
    assert.equal(sent.status, 200);
    assert.ok(decided.status === 200 || decided.body.errors[0].field === 'reason', JSON.stringify(decided.body));
    assert.equal((await approve(parent, second.id)).status, 422, 'together they go over, in either order');
  });
});

describe('the categories of a case', () => {
  const categoriesFor = async (who: Client) => (await who.get(`/api/cases/${CASE_1}`)).body.categories;
  const ask = (who: Client, category: string, fields: object = {}) => {
    const body = { amount_cents: 100, category, description: 'Train', ...fields };
    return who.post(`/api/cases/${CASE_1}/disbursements`, body);
  };
  const patch = (id: number, fields: object) =>
    surrogate.call('PATCH', `/api/disbursements/${id}`, {
      body: JSON.stringify(fields),
      headers: { 'content-type': 'application/json' },
    });

  test('[CATEGORY-1] the categories of a case are those of its contract and Other, and nothing else is accepted', async () => {
    assert.deepEqual(await categoriesFor(surrogate), ['Other'], 'without a contract');
    await setBenefits({ ...TRAVEL, category: 'Childcare' }, TRAVEL);
    for (const who of [surrogate, parent, manager, escrow, root])
      assert.deepEqual(await categoriesFor(who), ['Childcare', 'Travel', 'Other']);
    const strangers = ['Childc\u0430re', 'Childcare.', 'childcare', 'Child care', 'Medical', 'other', 'Other.', '\u041ether'];
    const { id } = (await ask(surrogate, 'Travel')).body;
    for (const category of strangers) {
      for (const answer of [await ask(surrogate, category), await patch(id, { category })]) {
        assert.deepEqual([answer.status, answer.body.code], [422, 'unknown_category'], category);
        assert.deepEqual(answer.body.errors[0].field, 'category');
      }
    }
    for (const category of ['Childcare', ' Childcare ', 'Childcare\u200b', 'Other']) {
      const answer = await ask(surrogate, category);
      assert.deepEqual([answer.status, answer.body.category], [201, category.includes('O') ? 'Other' : 'Childcare']);
      assert.equal((await patch(id, { category })).status, 200);
    }
  });

  test('[CATEGORY-1] a request keeps a category that is no longer on the list until it gets another one', async () => {
    await setBenefits(TRAVEL);
    const key = { 'idempotency-key': 'kept-category' };
    const body = { amount_cents: 100, category: 'Travel', description: 'Train' };
    const path = `/api/cases/${CASE_1}/disbursements`;
    const { id } = (await surrogate.post(path, body, key)).body;
    await setBenefits();
    const repeated = await surrogate.post(path, body, key);
    assert.deepEqual([repeated.status, repeated.body.id], [201, id], 'a repeated call gets its first answer');
    assert.equal((await patch(id, { category: 'Travel', description: 'Bus' })).body.description, 'Bus');
    await move(surrogate, id, 'submit');
    assert.equal((await patch(id, { category: 'Travel', amount_cents: 200 })).status, 200);
    assert.equal((await patch(id, { category: 'Other' })).status, 200);
    assert.equal((await patch(id, { category: 'Travel' })).body.code, 'unknown_category');
  });

  test('[CONTRACT-2] a limit for Other counts what is requested in Other', async () => {
    await setBenefits({ ...TRAVEL, category: 'Other', cap_cents: 150 });
    assert.deepEqual(await categoriesFor(surrogate), ['Other']);
    const { id } = (await ask(surrogate, 'Other', { amount_cents: 200 })).body;
    assert.equal((await move(surrogate, id, 'submit')).category, 'Other');
    assert.equal((await benefitOf(id)).over_by_cents, 50);
  });
});
