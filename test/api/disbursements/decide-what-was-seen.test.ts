import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CASE_1, DEMO_PASSWORD } from '../../support/cast.ts';
import { asBank, BANK, bringTo, fundCase, move, type RequestFields } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';

let secondsLater = 0;
const api = await startApi({ now: () => new Date(Date.now() + secondsLater * 1000) });
await fundCase(api, CASE_1, 900_000_000);
const { surrogate, parent, parent2, root } = await api.everyone();
const put = (who: Client, method: string, path: string, body: object) =>
  who.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const seenBy = async (who: Client, id: number) => (await who.get(`/api/disbursements/${id}`)).body;
const sent = (fields: RequestFields = {}) => bringTo(api, { maker: surrogate, checker: parent }, 'submitted', fields);
const setAccount = async (account_number: string) => {
  const account = { holder_name: 'Sarah Lindgren', routing_number: '021000021', account_kind: 'checking' };
  const body = { pass_hash: DEMO_PASSWORD, ...account, account_number };
  assert.equal((await put(surrogate, 'PUT', '/api/user/me/bank-account', body)).status, 200);
};
/** Adds a receipt without uploading a file, because only the number of receipts matters here. */
const addReceipt = (id: number) =>
  api.pool.query(
    `insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
     values ($1, 'bill.pdf', 'application/pdf', 10, 'test/' || gen_random_uuid(), $2)`,
    [id, surrogate.userId],
  );

describe('a decision names what was seen', () => {
  test('[REQUEST-9] a decision without a version is a 422, and nothing is decided', async () => {
    const id = await sent();
    for (const body of [undefined, {}, { version: '' }, { version: 5 }, { version: 'x'.repeat(201) }]) {
      assert.equal((await parent.post(`/api/disbursements/${id}/approve`, body)).status, 422);
      assert.equal((await parent.post(`/api/disbursements/${id}/deny`, { ...body, reason: 'No' })).status, 422);
    }
    assert.equal((await seenBy(parent, id)).status, 'submitted');
  });

  test('[REQUEST-9] a request that changed from $5.00 to $555.55 answers 409 changed, with the request as it is now', async () => {
    const id = await sent({ amount_cents: 500 });
    const { version } = await seenBy(parent, id);
    assert.equal((await put(surrogate, 'PATCH', `/api/disbursements/${id}`, { amount_cents: 55_555 })).status, 200);
    await move(surrogate, id, 'submit');
    for (const command of ['approve', 'deny']) {
      const refused = await parent.post(`/api/disbursements/${id}/${command}`, { version, reason: 'No' });
      assert.deepEqual([refused.status, refused.body.code], [409, 'changed']);
      assert.deepEqual(refused.body.current, await seenBy(parent, id));
      assert.equal(refused.body.current.amount_cents, 55_555);
    }
    assert.equal((await seenBy(parent, id)).status, 'submitted');
    const { rows } = await api.pool.query('select from ledger_transaction where disbursement_id = $1', [id]);
    assert.equal(rows.length, 0, 'nothing is set aside');
    const now = (await seenBy(parent, id)).version;
    assert.equal((await parent.post(`/api/disbursements/${id}/approve`, { version: now })).status, 200);
  });

  test('[REQUEST-9] the version changes with each thing that is decided about, and with nothing else', async () => {
    const id = await sent();
    const other = await sent();
    const versions = [(await seenBy(root, id)).version, (await seenBy(root, other)).version];
    const revise = async (change: object) => {
      assert.equal((await put(root, 'PATCH', `/api/disbursements/${id}`, change)).status, 200);
    };
    const changes = [
      () => revise({ amount_cents: 777 }),
      () => revise({ category: 'Food' }),
      () => revise({ description: 'Lunch' }),
      () => revise({ payee: { user_type: 'intended_parent', user_id: parent2.userId } }),
      () => revise({ payee: { user_type: 'surrogate', user_id: surrogate.userId } }),
      () => addReceipt(id),
      () => setAccount('11112222'),
      () => setAccount('33334444'),
    ];
    for (const change of changes) {
      await change();
      versions.push((await seenBy(root, id)).version);
    }
    // The payee changed and changed back, so two of the states are equal and have the same version.
    assert.equal(new Set(versions).size, versions.length - 1);
    assert.equal(versions[4], versions[6]);
    const before = versions.at(-1);
    await move(surrogate, id, 'submit');
    assert.equal((await seenBy(root, id)).version, before, 'being sent changes nothing of it');
    const listed = (await root.get(`/api/cases/${CASE_1}/disbursements?limit=100`)).body.data;
    assert.equal(listed.find((one: { id: number }) => one.id === id).version, before, 'lists say the same');
  });

  test('[REQUEST-9, PAYABLE-3] an account or a receipt that is being changed meanwhile is waited for, and seen', async () => {
    await setAccount('55556666');
    const cases: [string, (query: (text: string, values: unknown[]) => Promise<unknown>, id: number) => Promise<unknown>][] = [
      [
        'account',
        async (query) => {
          await query('select pg_advisory_xact_lock(7214018, $1::int)', [surrogate.userId]);
          await query('update payee_bank_account set replaced_at = now() where user_id = $1 and replaced_at is null', [
            surrogate.userId,
          ]);
        },
      ],
      [
        'receipt',
        async (query, id) => {
          await query('select from case_file where id = $1 for no key update', [CASE_1]);
          await query(
            `insert into disbursement_file (disbursement_id, filename, content_type, size, storage_key, uploaded_by)
             values ($1, 'bill.pdf', 'application/pdf', 10, 'test/' || gen_random_uuid(), $2)`,
            [id, surrogate.userId],
          );
        },
      ],
    ];
    for (const [name, change] of cases) {
      const id = await sent();
      const { version } = await seenBy(parent, id);
      const { status, body } = await inOpenTransaction(api.pool, async (client) => {
        await change((text, values) => client.query(text, values), id);
        const answer = parent.post(`/api/disbursements/${id}/approve`, { version });
        await untilWaiting(api.pool, [answer]);
        await client.query('commit');
        return answer;
      });
      assert.deepEqual([name, status, body.code], [name, 409, 'changed']);
    }
  });

  test('[REQUEST-9, PAYABLE-3] of an approval and a change of account at once, what is approved goes to the account that was seen', async () => {
    await setAccount('88889999');
    for (let round = 0; round < 10; round += 1) {
      const id = await sent();
      const { version } = await seenBy(parent, id);
      const [answer] = await Promise.all([
        parent.post(`/api/disbursements/${id}/approve`, { version }),
        setAccount(`7777000${round}`),
      ]);
      const { status } = await seenBy(surrogate, id);
      // Either the approval is rejected, or the change sends the approved request back to draft.
      assert.deepEqual([answer.status, status], answer.status === 200 ? [200, 'draft'] : [409, 'submitted']);
    }
  });
});

describe('[REQUEST-19] an approval that can be undone', () => {
  const funds = async () => {
    const { rows } = await api.pool.query(
      'select account, amount_cents::text from ledger_balance where case_id = $1 order by 1',
      [CASE_1],
    );
    return rows;
  };
  const approved = async (more: object = {}, fields: RequestFields = {}) => {
    const id = await sent(fields);
    const { version, payee_account } = await seenBy(parent, id);
    const body = { version, account_seen: payee_account?.version, ...more };
    const answer = await parent.post(`/api/disbursements/${id}/approve`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return id;
  };
  const undo = async (who: Client, id: number) => {
    const { status, body } = await who.post(`/api/disbursements/${id}/undo-approval`);
    return status === 200 ? '200' : `${status} ${body.code}`;
  };
  test('undoing it restores the money, the approver, and the wait, and it can be approved again', async () => {
    const before = await funds();
    const id = await approved({ undoable: true });
    assert.notDeepEqual(await funds(), before);
    const { waiting_since } = await seenBy(parent, id);
    assert.equal(await undo(parent, id), '200');
    const now = await seenBy(parent, id);
    assert.deepEqual(await funds(), before);
    assert.deepEqual([now.status, now.decided_at, now.approver.user_id], ['submitted', null, parent.userId]);
    assert.equal(now.waiting_since, now.submitted_at);
    assert.notEqual(now.waiting_since, waiting_since);
    assert.deepEqual(
      now.timeline.map(({ event, by }: { event: string; by: { user_id: number } }) => `${event} ${by.user_id}`),
      [
        `created ${surrogate.userId}`,
        `submitted ${surrogate.userId}`,
        `approved ${parent.userId}`,
        `approval_undone ${parent.userId}`,
      ],
    );
    assert.equal(await undo(parent, id), '409 wrong_state', 'a second time changes nothing');
    assert.equal((await parent.post(`/api/disbursements/${id}/approve`, { version: now.version })).status, 200);
    assert.equal(await undo(parent, id), '409 too_late', 'that approval was final');
  });

  test('only the person who approved can undo it, only if it was given so, and only for a few seconds', async () => {
    const id = await approved({ undoable: true });
    assert.equal(await undo(parent2, id), '403 not_yours');
    assert.equal(await undo(surrogate, id), '403 not_yours');
    assert.equal(await undo(await api.as('bothParent'), id), '404 not_found');
    secondsLater = 16;
    assert.equal(await undo(parent, id), '409 too_late');
    secondsLater = 0;
    assert.equal(await undo(parent, await approved()), '409 too_late', 'it was announced at once');
    const batched = await approved({ undoable: true });
    await asBank(api, (tx) => BANK.batch(tx, batched));
    assert.equal(await undo(parent, batched), '409 wrong_state');
  });

  test('of two undos at once one counts, and an undo and a batch at once leave exactly one', async () => {
    const before = await funds();
    const id = await approved({ undoable: true });
    const answers = await Promise.all([undo(parent, id), undo(parent, id)]);
    assert.deepEqual(answers.sort(), ['200', '409 wrong_state']);
    assert.deepEqual(await funds(), before);
    const raced = await approved({ undoable: true });
    const batching = asBank(api, (tx) => BANK.batch(tx, raced)).then(
      () => 'batched',
      () => 'not batched',
    );
    const [undone, batched] = await Promise.all([undo(parent, raced), batching]);
    const { status } = await seenBy(parent, raced);
    assert.equal(status, batched === 'batched' ? 'batched' : 'submitted');
    assert.equal(undone === '200', status === 'submitted');
  });

  test('an approval over the contract limit, or for another account than before, is final', async () => {
    await api.pool.query(
      `insert into case_benefit (case_id, category, cap_cents, period) values ($1, 'Undo', 100, 'case')
       on conflict do nothing`,
      [CASE_1],
    );
    const over = await approved({ undoable: true, reason: 'The birth was early' }, { category: 'Undo', amount_cents: 500 });
    assert.equal(await undo(parent, over), '409 too_late');
    const id = await approved();
    await setAccount('55556666');
    await move(surrogate, id, 'submit');
    const { version, payee_account } = await seenBy(parent, id);
    assert.equal(payee_account.changed_since_approval, true);
    const body = { version, account_seen: payee_account.version, undoable: true };
    assert.equal((await parent.post(`/api/disbursements/${id}/approve`, body)).status, 200);
    assert.equal(await undo(parent, id), '409 too_late');
  });

  test('after an undo, the account of an earlier approval is known as before', async () => {
    const id = await approved({ undoable: true });
    const read = async () =>
      (await api.pool.query('select approved_account_id from disbursement_request where id = $1', [id])).rows[0]
        .approved_account_id;
    assert.notEqual(await read(), null);
    assert.equal(await undo(parent, id), '200');
    assert.equal(await read(), null);
  });
});
