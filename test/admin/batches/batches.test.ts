import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { CASE_1 } from '../../support/cast.ts';
import { checkNachaText } from '../../support/check-nacha-text.ts';
import { bringTo } from '../../support/money.ts';
import { BANK, gather, openDesk, press, problemOf, releaseBatch, sign, step } from './batches-desk.ts';

/** Opens a desk for a test about the lists of batches and of what can be sent, which show everything. */
async function open({ hasAccount = true, hasBank = true } = {}) {
  const desk = await openDesk();
  if (hasAccount) await desk.putAccount(desk.surrogate);
  if (hasBank) await desk.root.post('/batches/bank', BANK);
  const rowsOf = async (text: string, values: unknown[] = []) => (await desk.api.pool.query(text, values)).rows;
  return { ...desk, rowsOf };
}
/** For tests that look only at their own batches. */
const shared = await open();

describe('making a batch', () => {
  test('[PAYABLE-2] a payee without an account is named, and cannot be put into a batch', async () => {
    const { finance, approved, statusOf, rowsOf } = await open({ hasAccount: false });
    const id = await approved();
    const page = await finance.get('/batches/new');
    const [, leftOut = ''] = page.text.split('id="left-out"');
    assert.match(leftOut, /Train to the clinic[\s\S]*hasn’t added a bank account yet\.[\s\S]*They add one in their profile/);
    assert.doesNotMatch(page.text, new RegExp(`name="disbursement_ids" value="${id}"`));
    assert.match(
      (await finance.get('/batches')).text,
      /No approved requests are waiting\. 1 approved request can’t be sent yet\./,
    );
    const refused = await finance.post('/batches', { disbursement_ids: String(id) });
    assert.deepEqual(
      [refused.status, problemOf(refused)],
      [
        409,
        '“Train to the clinic” ($125.00 to Sarah Lindgren) can’t be sent: Sarah Lindgren hasn’t added a bank account yet. ' +
          'Make the batch without what can’t be sent. “Left out” says what to do about each payment.',
      ],
    );
    assert.deepEqual(await rowsOf('select id from banking_batch'), []);
    assert.equal(await statusOf(id), 'approved');
  });

  test('[BATCH-12] the page of a new batch chooses everything that can be sent, and adds it up by payee and case without a script', async () => {
    const { api, parent, finance, putAccount, approved, rowsOf } = await open();
    await putAccount(parent, { account_number: '55667788' });
    const theirs = await bringTo(api, { maker: parent, checker: await api.as('parent2') }, 'approved', { amount_cents: 2_500 });
    const [own, second] = [await approved({ amount_cents: 10_000 }), await approved({ amount_cents: 250 })];
    const page = await finance.get('/batches/new');
    const sums = (text: string) =>
      Object.fromEntries(
        [...text.matchAll(/<li data-total-of="([\w-]+)" (hidden)?[^>]*>[\s\S]*?<span class="money">([^<]+)</g)].flatMap(
          ([, key = '', hidden, cents]) => (hidden === undefined ? [[key.replace(/\d+/, ''), cents]] : []),
        ),
      );
    const checked = (text: string) => [...text.matchAll(/value="(\d+)"[^>]* checked/g)].map(([, id]) => Number(id));
    const all = (text: string) => /data-total-count>([^<]+)<[\s\S]*?data-total-all>([^<]+)</.exec(text)?.slice(1);
    assert.deepEqual(checked(page.text), [theirs, own, second]);
    assert.deepEqual(all(page.text), ['3 payments', '$127.50']);
    assert.match(page.text, /aria-label="Train to the clinic, \$100\.00 to Sarah Lindgren"/);
    assert.doesNotMatch(page.text, /Request \d/);
    const chosen = { disbursement_ids: [theirs, second].map(String), preview: 'yes' };
    const preview = await finance.fill(page, '/batches', chosen);
    assert.deepEqual(
      [preview.status, checked(preview.text), all(preview.text)],
      [200, [theirs, second], ['2 payments', '$27.50']],
    );
    assert.deepEqual(await rowsOf('select id from banking_batch'), []);
    const only = await finance.fill(preview, '/batches', { disbursement_ids: [String(theirs)], preview: 'yes' });
    assert.deepEqual(sums(only.text), { 'payee-': '$25.00', 'case-': '$25.00', reimbursement: '$25.00' });
  });

  test('[BATCH-2] only approved requests are put into a batch, all or none, and foreign and unknown ids write nothing', async () => {
    const { surrogate, finance, approved, statusOf, rowsOf } = shared;
    const [one, draft] = [
      await approved(),
      (await surrogate.post('/api/cases/1/disbursements', { amount_cents: 1, category: 'Travel', description: 'x' })).body.id,
    ];
    const batches = await rowsOf('select id from banking_batch');
    for (const [ids, status] of [
      [[], 422],
      [[one, draft], 409],
      [[one, 999_999], 404],
      [['x'], 422],
      [['1e3'], 422],
    ] as const) {
      const refused = await finance.post('/batches', { disbursement_ids: ids.map(String) });
      assert.equal(refused.status, status, String(ids));
      if (status === 409) assert.match(problemOf(refused), /“x” \(\$0\.01 to Sarah Lindgren\) is still a draft/);
    }
    assert.deepEqual(await rowsOf('select id from banking_batch'), batches);
    assert.equal(await statusOf(one), 'approved');
  });

  test('[BATCH-9] a batch names who is paid, who made it, and who took each step', async () => {
    const { root, finance, approved } = shared;
    const path = await gather(finance, [await approved()]);
    await step(root, path, 'approve');
    const page = (await finance.get(path)).text;
    for (const name of ['Sarah Lindgren', 'Felix Brandt', 'Ruth Adeyemi']) assert.match(page, new RegExp(name));
    assert.match((await root.get('/batches')).text, /by Felix Brandt/);
  });

  test('[BATCH-2] of 20 batches made at the same time one gets the request', async () => {
    const { root, approved, rowsOf, finance } = shared;
    const ids = [await approved(), await approved()];
    const batches = await rowsOf('select id from banking_batch');
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? finance : root).post('/batches', { disbursement_ids: ids.map(String) }),
      ),
    );
    const statuses = tries.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [303, ...Array(19).fill(409)]);
    const entries = await rowsOf(
      `select disbursement_id, count(*) over (partition by batch_id)::int as together from banking_batch_entry
        where released_at is null and disbursement_id = any($1::bigint[]) order by 1`,
      [ids],
    );
    assert.deepEqual(
      entries,
      ids.map((disbursement_id) => ({ disbursement_id, together: 2 })),
    );
    assert.equal((await rowsOf('select id from banking_batch')).length, batches.length + 1);
  });

  test('[GUARD-4] every step requires its permission: 403, and nothing written', async () => {
    const { finance, escrow, viewer, approved, rowsOf } = shared;
    const id = await approved();
    const path = await gather(finance, [id]);
    const before = await rowsOf('select * from banking_batch_step');
    for (const [who, name] of [
      [finance, 'approve'],
      [escrow, 'generate'],
      [escrow, 'cancel'],
      [escrow, 'sign'],
      [escrow, 'hand-out'],
      [escrow, 'outcome'],
      [viewer, 'settle'],
      [viewer, 'remove'],
    ] as const) {
      const refused = await who.post(`${path}/${name}`, {
        reason: 'x',
        note: 'x',
        outcome: 'accepted',
        sha256: '0'.repeat(64),
        disbursement_id: '1',
      });
      assert.deepEqual([refused.status, refused.location], [403, null], name);
    }
    assert.equal((await escrow.post('/batches', { disbursement_ids: String(id) })).status, 403);
    assert.deepEqual(await rowsOf('select * from banking_batch_step'), before);
    const seen = await viewer.get(path);
    assert.equal(seen.status, 200);
    assert.doesNotMatch(seen.text, /Sarah Lindgren|Request \d|Sign the file|HYPERLINK/);
  });
});

describe('the whole life of a batch', () => {
  test('[BATCH-1] four people take a batch from draft to settled, and its requests are paid', async () => {
    const { api, surrogate, root, finance, viewer, approved, statusOf, rowsOf } = await open({ hasBank: false });
    const [first, second] = [await approved({ amount_cents: 12_345 }), await approved({ amount_cents: 100_000 })];
    const path = await gather(finance, [first, second]);
    assert.equal(await statusOf(first), 'batched');

    assert.match((await finance.get(path)).text, /someone else has to approve it/);
    await step(root, path, 'approve');
    assert.match((await finance.get(path)).text, /Add our bank details first/);
    const early = await press(api, finance, path, 'generate');
    assert.deepEqual([early.status, problemOf(early)], [409, 'Add our bank details first.']);
    assert.equal((await finance.post('/batches/bank', BANK)).status, 403);
    const bank = {
      ...BANK,
      balanced: 'yes',
      offset_routing_number: '091000019',
      offset_account_number: '5550001112',
      offset_account_kind: 'checking',
    };
    assert.equal((await root.post('/batches/bank', bank)).status, 303);

    const made = await finance.get(await step(finance, path, 'generate'));
    assert.match(made.text, /Bank file, line by line/);
    assert.match(made.text, /End of the file/);
    assert.doesNotMatch(made.text, /9876501234|5550001112|<b>Sam/, 'no account number, and names are escaped');
    assert.match(made.text, /HYPERLINK\(/);
    assert.doesNotMatch(made.text, /ending in 1234/, 'without view_bank_accounts not even its last four');
    assert.match((await root.get(path)).text, /ending in 1234/);
    assert.match(made.text, /should arrive <time datetime="2026-11-24"/);

    const unsigned = await press(api, root, path, 'hand-out');
    assert.deepEqual([unsigned.status, problemOf(unsigned)], [409, 'Two people have to sign this file before it’s sent.']);
    await sign(finance, path);
    const twice = await finance.post(`${path}/sign`, { sha256: /id="sha256">(\w+)</.exec(made.text)?.[1] ?? '' });
    assert.equal(twice.status, 409);
    assert.equal((await root.post(`${path}/sign`, { sha256: '0'.repeat(64) })).status, 409, 'another file');
    await sign(root, path);

    const own = await press(api, finance, path, 'hand-out');
    assert.equal(own.status, 403, 'the maker of a batch does not pay it');
    assert.equal((await root.get(`${path}/file`)).status, 409, 'not before it was handed out');
    const sending = await root.get(await step(root, path, 'hand-out'));
    const starts = new RegExp(`<meta http-equiv="refresh" content="0; url=${path}/file">`);
    assert.match(sending.text, starts, 'the download starts by itself');
    for (const later of [await root.get(path), await finance.get(`${path}?done=handed-out`)])
      assert.doesNotMatch(later.text, starts);
    assert.equal((await press(api, root, path, 'hand-out')).status, 409, 'never a second time by itself');
    assert.equal((await finance.get(`${path}/file`)).status, 403, 'only for the person it was released to');
    const file = await root.get(`${path}/file`);
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="batch-\d+-2026-11-24\.ach"$/);
    const checked = checkNachaText(file.text);
    assert.deepEqual([checked.credit, checked.debit], [112_345, 112_345]);
    assert.deepEqual(checked.entries[0]?.account, '9876501234');
    assert.match(file.text, /^5200Case Platform {3}.{20}1123456789PPDPAYMENT {3}261123261124/m);
    assert.ok((await root.get(path)).text.includes(createHash('sha256').update(file.text).digest('hex')));

    assert.equal((await press(api, finance, path, 'outcome', { outcome: 'accepted', note: 'x' })).status, 403);
    assert.equal((await press(api, root, path, 'outcome', { outcome: 'accepted', note: ' ' })).status, 422);
    assert.equal((await press(api, root, path, 'settle')).status, 409);
    await step(root, path, 'outcome', { outcome: 'refused', note: 'The upload broke off' });
    await step(root, path, 'hand-out');
    const placeOf = async (id: number) => {
      const { whereabouts } = (await surrogate.get(`/api/disbursements/${id}`)).body;
      return [whereabouts.label, whereabouts.arrives.date];
    };
    assert.deepEqual(await placeOf(first), ['Being sent', '2026-11-24'], 'downloaded, but the bank has not confirmed it');
    await step(root, path, 'outcome', { outcome: 'accepted', note: 'Confirmation 4711' });
    assert.deepEqual(await placeOf(first), ['At the bank', '2026-11-24']);
    assert.equal((await root.post(`${path}/cancel`, { reason: 'late' })).status, 409, 'the bank has it');
    assert.equal((await press(api, finance, path, 'settle')).status, 403);
    const done = await root.get(await step(root, path, 'settle'));
    assert.match(done.text, /Everything is paid/);
    assert.equal((await press(api, root, path, 'settle')).status, 409, 'once');

    const paid = (await surrogate.get(`/api/disbursements/${first}`)).body;
    assert.equal(paid.whereabouts.label, 'Paid');
    assert.deepEqual([paid.status, paid.expected_bank_date], ['paid', '2026-11-24']);
    assert.equal(await statusOf(second), 'paid');
    const postings = await rowsOf(
      `select t.disbursement_id, count(*)::int as n from ledger_transaction t where t.kind = 'payment' and t.disbursement_id = any($1) group by 1 order by 1`,
      [[first, second]],
    );
    assert.deepEqual(postings, [
      { disbursement_id: first, n: 1 },
      { disbursement_id: second, n: 1 },
    ]);
    const audit = await rowsOf(
      `select action from audit_entry where subject_type = 'banking_batch' and subject_id = $1 order by id`,
      [path.split('/')[2]],
    );
    assert.deepEqual(
      audit.map(({ action }) => action.replace('banking_batch.', '')),
      [
        'create',
        'approve',
        'generate',
        'sign',
        'sign',
        'hand_out',
        'download',
        'confirm_outcome',
        'hand_out',
        'confirm_outcome',
        'settle',
      ],
    );
    assert.match(
      (await finance.get('/payments')).text,
      new RegExp(`href="/disbursements/${first}">Train to the clinic<[\\s\\S]*Batch \\d+`),
    );
    assert.match((await viewer.get('/payments')).text, /Your role can’t see payments. Someone who manages roles can change that/);
  });

  test('[BATCH-3] an administrator does not approve their own batch: the maker never checks, in any role', async () => {
    const { api, root, approved } = shared;
    const path = await gather(root, [await approved()]);
    const refused = await press(api, root, path, 'approve');
    assert.equal(refused.status, 403);
    assert.match((await root.get(path)).text, /You made this batch/);
    await step(root, path, 'cancel', { reason: 'A try' });
  });

  test('[BATCH-6] a request that is taken out, or whose batch is cancelled, waits for another batch', async () => {
    const { finance, approved, statusOf } = shared;
    const [one, two] = [await approved(), await approved()];
    const path = await gather(finance, [one, two]);
    await step(finance, path, 'remove', { disbursement_id: String(one) });
    assert.deepEqual([await statusOf(one), await statusOf(two)], ['approved', 'batched']);
    assert.equal((await finance.post(`${path}/remove`, { disbursement_id: String(two) })).status, 409, 'its last one');
    assert.equal((await finance.post(`${path}/remove`, { disbursement_id: '999999' })).status, 404);
    assert.equal((await finance.post(`${path}/cancel`, { reason: '' })).status, 422);
    await step(finance, path, 'cancel', { reason: 'Not this week' });
    assert.equal(await statusOf(two), 'approved');
    const next = await gather(finance, [one, two]);
    assert.notEqual(next, path);
    assert.match((await finance.get('/batches?status=cancelled')).text, new RegExp(`href="${path}"`));
    assert.equal((await finance.get('/batches?status=lost')).status, 422);
    assert.equal((await finance.get('/batches?cursor=abc')).status, 422);
    assert.equal((await finance.get('/batches/999999')).status, 404);
  });
});

test('[NACHA-6] a category marked as compensation in the contract limits is paid in a PAYROLL batch of its own', async () => {
  const desk = await openDesk();
  const { api, root, finance, surrogate } = desk;
  await desk.putAccount(surrogate);
  const bank = await root.post('/batches/bank', { ...BANK, entry_description: 'Payroll' });
  assert.equal(bank.status, 422, 'the bank settings cannot mark everything as compensation');
  await root.post('/batches/bank', BANK);
  const mark = { category: 'Base compensation', cap: '99,999', period: 'case', compensation: 'yes' };
  assert.equal((await root.post(`/cases/${CASE_1}/benefits/change`, mark)).status, 303);
  const [row] = (
    await api.pool.query(`select compensation from case_benefit where case_id = $1 and category = $2`, [CASE_1, mark.category])
  ).rows;
  assert.equal(row.compensation, true);
  const ids = [
    await desk.approved({ amount_cents: 100, category: 'Travel' }),
    await desk.approved({ amount_cents: 450_000, category: 'Base compensation' }),
    await desk.approved({ amount_cents: 200, category: 'Other' }),
  ];
  const builder = (await finance.get('/batches/new')).text;
  assert.match(builder, /Compensation<\/span><span class="money">\$4,500\.00</);
  assert.match(builder, /Reimbursements<\/span><span class="money">\$3\.00</);
  const path = await releaseBatch(finance, root, ids);
  const { text } = await root.get(`${path}/file`);
  assert.deepEqual([checkNachaText(text).credit, checkNachaText(text).entries.length], [450_300, 3]);
  const headers = text.split('\n').filter((line) => line.startsWith('5'));
  assert.deepEqual(
    headers.map((line) => line.slice(50, 63).trim()),
    ['PPDPAYMENT', 'PPDPAYROLL'],
  );
  const [, payroll = ''] = text.split(headers[1] ?? '');
  assert.deepEqual(
    payroll.split('\n').flatMap((line) => (line.startsWith('6') ? [Number(line.slice(29, 39))] : [])),
    [450_000],
  );
});
