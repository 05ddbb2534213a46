import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { ASKED, draft } from '../../support/money.ts';
import { openDesk } from '../batches/batches-desk.ts';

/** The staff application checks the claim of a scheduled payment when it changes or submits a request (PLAN-3). */

const { api, root, parent, surrogate } = await openDesk({ now: () => new Date() });
const maker = await api.as('root');
const OTHER_PAYEE = /This scheduled payment is for someone else/;
const OTHER_CATEGORY = /This scheduled payment is for another category/;

for (const isNamed of [true, false])
  test(`[PLAN-3] staff change and submit a request only as its scheduled payment says, ${isNamed ? 'with' : 'without'} a payee`, async () => {
    const caseId = await copyCase(api, CASE_1);
    const { rows } = await api.pool.query<{ id: number }>(
      `insert into scheduled_payment (case_id, category, due_date, amount_cents, payee_id)
       values ($1, $2, current_date + 10, 450000, $3) returning id::int`,
      [caseId, ASKED.category, isNamed ? surrogate.userId : null],
    );
    const { id } = await draft(maker, {
      case_id: caseId,
      scheduled_payment_id: rows[0]?.id,
      payee: { user_type: 'surrogate', user_id: surrogate.userId },
    });
    const change = (payee: string, category: string) =>
      root.post(`/disbursements/${id}`, { amount: '0.01', category, description: 'Train', payee });
    const right = `surrogate:${surrogate.userId}`;
    const wrong = `ip:${parent.userId}`;
    assert.equal((await change(right, ASKED.category)).status, 303);
    for (const [payee, category, words] of [
      [wrong, ASKED.category, OTHER_PAYEE],
      [wrong, 'Other', OTHER_PAYEE],
      [right, 'Other', OTHER_CATEGORY],
    ] as const) {
      const refused = await change(payee, category);
      assert.equal(refused.status, 422, `${payee} ${category}`);
      assert.match(refused.text, words);
    }
    const setCategory = (category: string) =>
      api.pool.query('update disbursement_request set category = $2 where id = $1', [id, category]);
    await setCategory('Other');
    const refused = await root.post(`/disbursements/${id}/submit`);
    assert.equal(refused.status, 422);
    assert.match(refused.text, OTHER_CATEGORY);
    await setCategory(ASKED.category);
    assert.equal((await root.post(`/disbursements/${id}/submit`)).status, 303);
  });
