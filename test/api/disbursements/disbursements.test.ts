import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { indexWords } from '@case-platform/lib/database/index-words';
import { findActiveUserById } from '@case-platform/modules/accounts';
import { createDisbursement, SEARCHED_REQUESTS } from '@case-platform/modules/disbursements';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { grant } from '../../support/grant.ts';
import { ASKED, bringTo, decide, draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
await fundCase(api, CASE_1, 900_000_000);
const {
  surrogate,
  parent,
  parent2,
  manager,
  owner,
  rep,
  escrow,
  finance,
  viewer,
  root,
  bothSurrogate: stranger,
} = await api.everyone();
const both = { maker: surrogate, checker: parent };
const countAll = async () => Number((await api.pool.query('select count(*) as n from disbursement_request')).rows[0].n);
const patch = (who: Client, id: number, body: object) =>
  who.call('PATCH', `/api/disbursements/${id}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

describe('writing a request', () => {
  test('[DRAFT-1, WHERE-1] only its writer and the staff of its case see a draft, in lists, by its id, and in the calendar', async () => {
    const { rows } = await api.pool.query(
      `insert into scheduled_payment (case_id, category, description, due_date, amount_cents, payee_id)
       values ($1, 'Monthly', 'Of the draft', '2027-01-04', 12500, $2) returning id`,
      [CASE_1, surrogate.userId],
    );
    const planned = Number(rows[0].id);
    const { id } = await draft(surrogate, { scheduled_payment_id: planned });
    // A draft does not claim its scheduled payment (PLAN-4), so the calendar shows no link.
    const own = { pass: 200, listed: true, link: null };
    const closed = { pass: 404, listed: false, link: null };
    const seenBy = async (who: Client) => {
      const lists = await Promise.all([
        who.get('/api/disbursements?status=draft&limit=100'),
        who.get(`/api/cases/${CASE_1}/disbursements?status=draft&limit=100`),
      ]);
      const { data } = (await who.get(`/api/cases/${CASE_1}/scheduled-payments?limit=100`)).body;
      const listed = lists.map(({ body }) => body.data.some((request: { id: number }) => request.id === id));
      assert.equal(listed[0], listed[1]);
      return {
        pass: (await who.get(`/api/disbursements/${id}`)).status,
        listed: listed[0],
        link: data.find((payment: { id: number }) => payment.id === planned).disbursement_id,
      };
    };
    const placeOf = async (who: Client) => {
      const { data } = (await who.get(`/api/cases/${CASE_1}/scheduled-payments?limit=100`)).body;
      return data.find((payment: { id: number }) => payment.id === planned).whereabouts?.label ?? null;
    };
    const others = [parent, parent2, manager, owner, rep];
    assert.deepEqual(await seenBy(surrogate), own);
    assert.deepEqual(await seenBy(escrow), own);
    for (const who of others) assert.deepEqual(await seenBy(who), closed);
    for (const command of ['submit', 'cancel']) {
      for (const who of others.slice(0, -1)) assert.equal((await who.post(`/api/disbursements/${id}/${command}`)).status, 404);
    }
    assert.equal(await placeOf(surrogate), null);
    await move(surrogate, id, 'submit');
    for (const who of others) assert.deepEqual(await seenBy(who), { ...closed, pass: 200, link: id });
    for (const who of [parent, escrow]) assert.equal(await placeOf(who), 'Waiting for approval');
    // A changed amount makes it the writer's own draft again, and it stays their own if it is cancelled before it is sent again.
    await surrogate.call('PATCH', `/api/disbursements/${id}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount_cents: 12_600 }),
    });
    for (const who of others) assert.deepEqual(await seenBy(who), closed);
    await move(surrogate, id, 'cancel');
    for (const who of others) assert.equal((await who.get(`/api/disbursements/${id}`)).status, 404);
  });

  test('[DRAFT-2, DRAFT-3] staff cannot change drafts of others, but read the draft that their change to a submitted request makes', async () => {
    const contentTo = async (who: Client, id: number) => {
      const { amount_cents, description, payee } = (await who.get(`/api/disbursements/${id}`)).body;
      return [amount_cents, description, payee?.user_id ?? null];
    };
    const nothing = [null, null, null];
    const { id } = await draft(surrogate, { amount_cents: 12_700, description: 'Bus to the clinic' });
    const said = (amount: number, words: string) => [amount, words, surrogate.userId];
    for (const change of [{ description: 'Taxi to the clinic' }, { amount_cents: 1 }]) {
      const refused = await patch(escrow, id, change);
      assert.deepEqual([refused.status, refused.body.code], [403, 'not_yours']);
    }
    for (const who of [escrow, root]) assert.deepEqual(await contentTo(who, id), nothing);
    assert.deepEqual(await contentTo(surrogate, id), said(12_700, 'Bus to the clinic'));
    await move(surrogate, id, 'submit');
    for (const who of [root, parent]) assert.deepEqual(await contentTo(who, id), said(12_700, 'Bus to the clinic'));
    assert.equal((await patch(root, id, { amount_cents: 12_800 })).body.status, 'draft');
    for (const who of [root, surrogate]) assert.deepEqual(await contentTo(who, id), said(12_800, 'Bus to the clinic'));
    assert.deepEqual(await contentTo(escrow, id), nothing);
    assert.equal((await patch(escrow, id, { amount_cents: 12_900 })).body.code, 'not_yours');
    assert.equal((await patch(root, id, { amount_cents: 12_900 })).status, 200);
    assert.equal((await finance.get(`/api/disbursements/${id}`)).status, 404);
  });

  test('[REQUEST-2, REQUEST-18] a request is a draft, for its creator unless it says otherwise, with all of its fields', async () => {
    const request = await draft(surrogate, { category: 'Other' });
    const me = { user_type: 'surrogate', user_id: surrogate.userId, name: 'Sarah Lindgren' };
    const { created_at, updated_at, waiting_since, waiting_for, whereabouts, version, ...rest } = request;
    assert.match(String(version), /^[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      id: request.id,
      case_id: CASE_1,
      status: 'draft',
      ...ASKED,
      category: 'Other',
      payee: me,
      submitted_by: me,
      submitted_at: null,
      decided_at: null,
      decision_reason: null,
      approver: { user_type: 'intended_parent', user_id: parent.userId, name: 'Paige Whitlock' },
      expected_bank_date: null,
      covered: null,
      paid_at: null,
      returned_at: null,
      return_code: null,
      return: null,
      not_payable: null,
      payee_account: null,
      alarm: null,
      chain_id: null,
      scheduled_payment_id: null,
      files: [],
      benefit: null,
      timeline: [{ at: request.created_at, event: 'created', by: me, note: null }],
    });
    assert.deepEqual(whereabouts, {
      state: 'draft',
      label: 'Draft',
      holder: 'Sarah Lindgren',
      since: waiting_since,
      arrives: null,
      was: null,
      why: null,
      action: { kind: 'submit', by: 'maker' },
    });
    assert.match(String(waiting_for), /^Waiting for Sarah Lindgren to send it, since \w+ \d+, \d{4}$/);
    for (const time of [created_at, updated_at, waiting_since]) assert.match(String(time), /^\d{4}-.*Z$/);
    assert.deepEqual((await surrogate.get(`/api/disbursements/${request.id}`)).body, request);
  });

  test('[REQUEST-4] everyone of the case may write one, and admins on it with create_drs', async () => {
    const payee = { user_type: 'surrogate', user_id: surrogate.userId };
    for (const who of [surrogate, parent, parent2, manager, owner, rep]) await draft(who);
    for (const who of [escrow, root]) await draft(who, { payee });
    const path = `/api/cases/${CASE_1}/disbursements`;
    assert.equal((await escrow.post(path, ASKED)).status, 422, 'an admin names the payee');
    assert.equal((await api.anonymous.post(path, ASKED)).status, 401);
    assert.equal((await stranger.post(path, ASKED)).status, 404);
    for (const who of [viewer, finance]) assert.equal((await who.post(path, ASKED)).status, 403);
    await api.pool.query(`insert into case_admin (case_id, user_id) values ($1, $2)`, [CASE_1, viewer.userId]);
    assert.equal((await viewer.post(path, { ...ASKED, payee })).status, 403);
    await api.pool.query('delete from case_admin where case_id = $1 and user_id = $2', [CASE_1, viewer.userId]);
  });

  test('[REQUEST-4] behind the guard, staff without create_drs are rejected, on a case of their own too', async () => {
    const actor = await findActiveUserById(api.db, viewer.userId);
    assert.ok(actor);
    await api.pool.query(`insert into case_admin (case_id, user_id) values ($1, $2)`, [CASE_1, viewer.userId]);
    const before = await countAll();
    const input = { ...ASKED, payee: { user_type: 'surrogate', user_id: surrogate.userId } } as const;
    const written = createDisbursement({ db: api.db }, CASE_1, input, { actor, origin: SYSTEM });
    await assert.rejects(written, { message: 'Your role can’t write requests.' });
    assert.equal(await countAll(), before);
    await api.pool.query('delete from case_admin where case_id = $1 and user_id = $2', [CASE_1, viewer.userId]);
  });

  test('[REQUEST-2, REQUEST-3, ACCOUNT-4] invalid amounts, formulas, and foreign payees are rejected, and nothing is written', async () => {
    const before = await countAll();
    const refused: [object, number][] = [
      ...[-1, 0, 0.001, '1e3', '1000', 10_000_000_000, null, 1.5, {}].map((amount_cents): [object, number] => [
        { amount_cents },
        422,
      ]),
      [{ category: '' }, 422],
      [{ category: '   ' }, 422],
      [{ category: 'x'.repeat(101) }, 422],
      [{ category: '=HYPERLINK("http://x.test")' }, 422],
      [{ description: 'x'.repeat(2001) }, 422],
      [{ description: 'nul \u0000' }, 422],
      [{ description: undefined }, 422],
      [{ payee: { user_type: 'ip', user_id: parent.userId } }, 422],
      [{ payee: { user_type: 'surrogate', user_id: stranger.userId } }, 404],
      [{ payee: { user_type: 'surrogate', user_id: parent.userId } }, 404],
      [{ payee: { user_type: 'admin', user_id: escrow.userId } }, 404],
      [{ scheduled_payment_id: 999_999 }, 422],
    ];
    for (const [fields, status] of refused) {
      const answer = await surrogate.post(`/api/cases/${CASE_1}/disbursements`, { ...ASKED, ...fields });
      assert.equal(answer.status, status, `${JSON.stringify(fields).slice(0, 60)} ${JSON.stringify(answer.body)}`);
    }
    for (const caseId of [CASE_2, 999_999]) {
      assert.equal((await surrogate.post(`/api/cases/${caseId}/disbursements`, ASKED)).status, 404);
    }
    assert.equal(await countAll(), before);
    for (const amount_cents of [1, 9_999_999_999])
      assert.equal((await draft(surrogate, { amount_cents })).amount_cents, amount_cents);
  });

  test('[REQUEST-2] injected fields change nothing', async () => {
    const request = await draft(surrogate, {
      status: 'approved',
      approver_id: surrogate.userId,
      created_by: parent.userId,
    });
    assert.equal(request.status, 'draft');
    assert.equal((request.submitted_by as { user_id: number }).user_id, surrogate.userId);
  });

  test('[IDEMPOTENCY-1] 20 calls with one Idempotency-Key write one request', async () => {
    const headers = { 'idempotency-key': 'once' };
    const path = `/api/cases/${CASE_1}/disbursements`;
    const before = await countAll();
    const answers = await Promise.all(Array.from({ length: 20 }, () => manager.post(path, ASKED, headers)));
    const again = await manager.post(path, ASKED, headers);
    const written = [...answers, again].filter(({ status }) => status === 201);
    assert.ok(answers.every(({ status }) => status === 201 || status === 409));
    assert.equal(new Set(written.map(({ body }) => body.id)).size, 1);
    assert.equal(await countAll(), before + 1);
    assert.equal((await manager.post(path, { ...ASKED, amount_cents: 1 }, headers)).status, 422);
  });
});

describe('who can see a request', () => {
  test('[REQUEST-11] a request is for those who see the case; to all others it does not exist', async (t) => {
    const { id } = await draft(surrogate);
    await move(surrogate, id, 'submit');
    for (const who of [surrogate, parent, parent2, manager, owner, rep, escrow, root]) {
      assert.equal((await who.get(`/api/disbursements/${id}`)).status, 200);
      const list = await who.get(`/api/cases/${CASE_1}/disbursements?limit=1`);
      assert.deepEqual([list.status, list.body.data[0]?.id], [200, id]);
    }
    await grant(api.pool, 'viewer', 'create_drs', 'approve_drs');
    t.after(() =>
      api.pool.query(
        `delete from admin_role_permission g using user_account u
          where u.id = $1 and g.admin_role_id = u.admin_role_id and g.permission in ('create_drs', 'approve_drs')`,
        [viewer.userId],
      ),
    );
    for (const who of [stranger, viewer]) {
      for (const command of ['submit', 'cancel'])
        assert.equal((await who.post(`/api/disbursements/${id}/${command}`)).status, 404);
      assert.equal((await decide(who, id, 'approve')).status, 404);
      assert.equal((await decide(who, id, 'deny', { reason: 'x' })).status, 404);
      assert.equal((await patch(who, id, { amount_cents: 5 })).status, 404);
      assert.equal((await who.get(`/api/disbursements/${id}`)).status, 404);
      assert.equal((await who.get(`/api/cases/${CASE_1}/disbursements`)).status, 404);
      assert.deepEqual((await who.get('/api/disbursements')).body.data, []);
    }
    assert.equal((await finance.get(`/api/disbursements/${id}`)).status, 404);
    assert.equal((await finance.get(`/api/cases/${CASE_1}/disbursements`)).status, 404);
    assert.equal((await surrogate.get(`/api/disbursements/${id}`)).body.status, 'submitted');
  });

  test('[REQUEST-17] the list has states, pages, and what waits for the caller', async () => {
    const submitted = await bringTo(api, both, 'submitted');
    await draft(parent);
    const waiting = (await parent.get('/api/disbursements?waiting_for_me=true&limit=100')).body.data;
    assert.ok(waiting.some(({ id }: { id: number }) => id === submitted));
    assert.ok(waiting.every(({ approver }: { approver: { user_id: number } }) => approver.user_id === parent.userId));
    assert.deepEqual((await surrogate.get('/api/disbursements?waiting_for_me=true')).body.data, []);
    const all = (await parent.get('/api/disbursements?limit=100')).body.data.map(({ id }: { id: number }) => id);
    const paged: number[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await parent.get(`/api/cases/${CASE_1}/disbursements?limit=3${next}`);
      paged.push(...body.data.map(({ id }: { id: number }) => id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    assert.deepEqual(paged, all);
    const drafts = (await parent.get('/api/disbursements?status=draft&limit=100')).body.data;
    assert.ok(drafts.length > 0 && drafts.every(({ status }: { status: string }) => status === 'draft'));
    for (const query of ['status=lost', 'limit=0', 'limit=101', 'cursor=x', 'waiting_for_me=maybe', 'case_id=x'])
      assert.equal((await parent.get(`/api/disbursements?${query}`)).status, 422, query);
  });

  test('[REQUEST-21, API-12, API-13] a search finds requests by their words, names, amount, and number, for those who may read them', async () => {
    const description = 'Überfahrt•Kestrel’s “ferry”';
    const { id } = await draft(surrogate, { amount_cents: 123_450, description });
    const finds = async (who: Client, q: string, more = '') => {
      const { status, body } = await who.get(`/api/disbursements?q=${encodeURIComponent(q)}&limit=100${more}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data.some((one: { id: number }) => one.id === id);
    };
    for (const who of [parent, escrow, root]) assert.equal(await finds(who, 'kestrel'), false, 'the draft of another person');
    assert.equal(await finds(surrogate, 'kestrel'), true);
    await move(surrogate, id, 'submit');
    const words = [
      'KESTREL',
      'kestrel’s',
      'kestrels',
      'uberf',
      'ferry travel',
      'travel',
      'lindgr',
      'sarah ferry',
      'case',
      'case ferry',
    ];
    const found = [...words, '$1,234.50', '1234.50', '1,234.5', String(id), `#${id}`, `lindgren ${id} ferry`];
    for (const who of [parent, surrogate, root]) for (const q of found) assert.equal(await finds(who, q), true, q);
    for (const q of ['kestrel zebra', '1234', '$123,450', '!', 'demo.test', 'ferr travell'])
      assert.equal(await finds(root, q), false, q);
    assert.equal(await finds(root, 'ferry', '&status=submitted&case_id=1'), true);
    assert.equal(await finds(root, 'ferry', '&status=paid'), false);
    assert.equal(await finds(stranger, 'kestrel'), false);
    assert.equal(await finds(finance, 'kestrel'), false, 'it is not approved');
    await move(parent, id, 'approve');
    assert.equal(await finds(finance, 'kestrel lindgren'), true, 'now it is to be paid');
    assert.equal((await parent.get(`/api/disbursements?q=${'x'.repeat(201)}`)).status, 422);
    await api.pool.query('update disbursement_request set description = $2 where id = $1', [id, 'A plover']);
    assert.equal(await finds(parent, 'kestrel'), false, 'written without its words');
    while (await indexWords(api.db, [SEARCHED_REQUESTS]));
    for (const q of ['plover travel', '$1,234.50']) assert.equal(await finds(parent, q), true, q);
  });

  test('[REQUEST-21] a search finds what matches beyond the newest requests, in pages', async () => {
    const other = { maker: surrogate, checker: parent };
    const toManager = await bringTo(api, { maker: manager, checker: parent }, 'submitted');
    const [first, second] = [await bringTo(api, other, 'paid', { description: 'Heron' }), await draft(surrogate)];
    await api.pool.query("update case_file set name = 'Pelican' where id = $1", [CASE_2]);
    const { rows } = await api.pool.query(
      `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by, submitted_by, submitted_at,
         status) select $2, amount_cents, category, description, payee_id, created_by, created_by, now(), 'submitted'
         from disbursement_request where id = $1 returning id::int`,
      [first, CASE_2],
    );
    await api.pool.query(
      `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by, search, search_version,
         status, submitted_by, submitted_at)
       select case_id, 100, category, 'Goose', payee_id, created_by, $2, 2, 'submitted', created_by, now()
         from disbursement_request, generate_series(1, 210) where id = $1`,
      [second.id, "'goose':1"],
    );
    for (const who of [surrogate, root]) {
      const { body } = await who.get('/api/disbursements?q=heron');
      assert.deepEqual(
        body.data.map(({ id }: { id: number }) => id),
        [first],
      );
    }
    const [{ last_name }] = (await api.pool.query('select last_name from user_account where id = $1', [manager.userId])).rows;
    for (const [q, id] of [
      [last_name, toManager],
      ['pelican', rows[0].id],
      [`#${first}`, first],
    ]) {
      const { body } = await root.get(`/api/disbursements?q=${encodeURIComponent(q)}&limit=100`);
      assert.ok(
        body.data.some((one: { id: number }) => one.id === id),
        q,
      );
    }
    const { body: page } = await surrogate.get('/api/disbursements?q=goose&limit=100');
    const { body: next } = await surrogate.get(`/api/disbursements?q=goose&limit=100&cursor=${page.next_cursor}`);
    const { body: last } = await surrogate.get(`/api/disbursements?q=goose&limit=100&cursor=${next.next_cursor}`);
    assert.deepEqual(
      [page, next, last].map(({ data }) => data.length),
      [100, 100, 10],
    );
    assert.equal(last.next_cursor, null);
    await api.pool.query("delete from disbursement_request where description = 'Goose'");
  });
});

test('[CASE-7] a closed case takes no requests, and none of its own is submitted or approved', async () => {
  const [drafted, submitted] = [await draft(surrogate), await bringTo(api, both, 'submitted')];
  await api.pool.query("update case_file set status = 'closed' where id = $1", [CASE_1]);
  const answers = [
    await surrogate.post(`/api/cases/${CASE_1}/disbursements`, ASKED),
    await surrogate.post(`/api/disbursements/${drafted.id}/submit`),
    await decide(parent, submitted, 'approve'),
  ];
  await api.pool.query("update case_file set status = 'active' where id = $1", [CASE_1]);
  for (const answer of answers) assert.deepEqual([answer.status, answer.body.code], [409, 'case_closed']);
});
