import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CASE_1, CASE_2, DEMO_PASSWORD } from '../../support/cast.ts';
import { EventReader } from '../../support/event-reader.ts';
import { type ApiDisbursement, ASKED, bringTo, decide, draft, fundCase, move, moveCash } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
await fundCase(api, CASE_1, 900_000_000);
const { surrogate, parent, parent2, manager, owner, escrow, viewer, bothSurrogate: stranger } = await api.everyone();
const both = { maker: surrogate, checker: parent };

async function homeOf(who: Client) {
  const { status, body } = await who.get('/api/home');
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
const LISTS = ['decisions', 'requests', 'returned', 'drafts', 'payments'] as const;
/** Returns the lists of a person's home page that contain a request. */
async function listsWith(who: Client, id: number): Promise<string[]> {
  const home = await homeOf(who);
  return LISTS.filter((list) =>
    home[list].some((one: ApiDisbursement & { disbursement_id?: number }) => (one.disbursement_id ?? one.id) === id),
  );
}

describe('[HOME-1] GET /api/home', () => {
  test('in each of its states a request is in the right lists of the people of its case, and in no others', async () => {
    const where: Record<string, [surrogate: string[], parent: string[], parent2: string[], manager: string[]]> = {
      draft: [['drafts'], [], [], []],
      submitted: [['requests'], ['decisions'], ['requests'], ['requests']],
      approved: [['requests'], ['requests'], ['requests'], ['requests']],
      batched: [
        ['requests', 'payments'],
        ['requests', 'payments'],
        ['requests', 'payments'],
        ['requests', 'payments'],
      ],
      paid: [['payments'], ['payments'], ['payments'], ['payments']],
      returned: [['returned'], ['returned'], ['returned'], ['returned']],
      denied: [[], [], [], []],
      cancelled: [[], [], [], []],
    };
    for (const [status, expected] of Object.entries(where)) {
      const id = await bringTo(api, both, status as ApiDisbursement['status']);
      const lists = await Promise.all([surrogate, parent, parent2, manager].map((who) => listsWith(who, id)));
      assert.deepEqual(lists, expected, status);
      assert.deepEqual(await listsWith(stranger, id), [], `${status}, somebody of another case`);
    }
  });

  test('[HOME-3] a payee without a usable bank account learns that money waits for it', async () => {
    const read = async () => {
      const { account, parts } = (await homeOf(surrogate)).incoming;
      const places = parts.map(({ state }: { state: string }) => state);
      return [account, places.includes('on_hold'), places.includes('approved')];
    };
    await bringTo(api, both, 'approved');
    assert.deepEqual(await read(), ['add', true, false]);
    const body = JSON.stringify({
      pass_hash: DEMO_PASSWORD,
      holder_name: 'Sarah Lindgren',
      routing_number: '021000021',
      account_number: '11112222',
      account_kind: 'checking',
    });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await surrogate.call('PUT', '/api/user/me/bank-account', { body, headers })).status, 200);
    assert.deepEqual(await read(), [null, false, true]);
    const flag = (code: string | null) =>
      api.pool.query(
        'update payee_bank_account set flag_code = $2, flagged_at = case when $2::text is not null then now() end where user_id = $1 and replaced_at is null',
        [surrogate.userId, code],
      );
    await flag('R02');
    assert.deepEqual(await read(), ['replace', true, false]);
    const sent = async () => {
      const { parts } = (await homeOf(surrogate)).incoming;
      return parts.find(({ state }: { state: string }) => state === 'being_sent')?.stopped_cents ?? 0;
    };
    const before = await sent();
    const id = await bringTo(api, both, 'batched', { amount_cents: 77 });
    await api.pool.query(
      `with batch as (insert into banking_batch (status, created_by, entry_count, total_cents) values ('draft', $1, 1, 77) returning id)
       insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents)
       select batch.id, $2, a.id, 77 from batch, payee_bank_account a where a.user_id = $3 and a.replaced_at is null`,
      [escrow.userId, id, surrogate.userId],
    );
    assert.equal(await sent(), before + 77, 'a batch that is blocked by the account');
    await flag(null);
  });

  test('[HOME-3] what is on its way to a person is the sum of its parts, by where each payment is', async () => {
    type Incoming = { on_its_way_cents: number; parts: { state: string; label: string; count: number; amount_cents: number }[] };
    const incomingOf = async (who: Client): Promise<Incoming> => (await homeOf(who)).incoming;
    const partOf = ({ parts }: Incoming, state: string) =>
      parts.find((part) => part.state === state) ?? { count: 0, amount_cents: 0 };
    const moves: [ApiDisbursement['status'], string | null][] = [
      ['draft', null],
      ['submitted', 'waiting_for_approval'],
      ['approved', 'approved'],
      ['batched', 'being_sent'],
      ['paid', null],
      ['returned', null],
    ];
    for (const [status, place] of moves) {
      const before = await incomingOf(surrogate);
      const ofParent = await incomingOf(parent);
      await bringTo(api, both, status, { amount_cents: 4_321 });
      const now = await incomingOf(surrogate);
      for (const { state } of [...before.parts, ...now.parts]) {
        const more = state === place ? 1 : 0;
        const [was, is] = [partOf(before, state), partOf(now, state)];
        assert.deepEqual([is.count - was.count, is.amount_cents - was.amount_cents], [more, more * 4_321], `${status}, ${state}`);
      }
      const isOnItsWay = place !== null && place !== 'waiting_for_approval';
      assert.equal(now.on_its_way_cents - before.on_its_way_cents, isOnItsWay ? 4_321 : 0, status);
      assert.deepEqual(await incomingOf(parent), ofParent, 'it is not paid to them');
    }
    assert.equal((await homeOf(escrow)).incoming, null);
  });

  test('a payment that arrived is shown for two weeks', async () => {
    const id = await bringTo(api, both, 'paid');
    const paidAgo = (days: number) =>
      api.pool.query(`update disbursement_request set paid_at = now() - $2 * interval '1 day' where id = $1`, [id, days]);
    await paidAgo(13);
    assert.deepEqual(await listsWith(surrogate, id), ['payments']);
    await paidAgo(15);
    for (const who of [surrogate, parent]) assert.deepEqual(await listsWith(who, id), []);
  });

  test('a payee sees what others requested for them, and a surrogate nothing else of the case', async () => {
    const payee = { user_type: 'surrogate', user_id: surrogate.userId };
    const { id } = await draft(manager, { payee });
    assert.deepEqual(await listsWith(surrogate, id), [], 'a draft is its writer’s own');
    await move(manager, id, 'submit');
    assert.deepEqual(await listsWith(surrogate, id), ['requests']);
    const { id: own } = await draft(manager);
    await move(manager, own, 'submit');
    assert.deepEqual(await listsWith(surrogate, own), []);
    assert.deepEqual(await listsWith(manager, own), ['requests']);
  });

  test('a person who left the case finds none of its requests at home, written by them or paid to them', async () => {
    const { id: begun } = await draft(surrogate);
    const { id: sent } = await draft(surrogate);
    await move(surrogate, sent, 'submit');
    const { id: paidTo } = await draft(manager, { payee: { user_type: 'surrogate', user_id: surrogate.userId } });
    await move(manager, paidTo, 'submit');
    const lists = () => Promise.all([begun, sent, paidTo].map((id) => listsWith(surrogate, id)));
    const belongs = (since: string) =>
      api.pool.query(`update case_participant set left_at = ${since} where case_id = $1 and user_id = $2`, [
        CASE_1,
        surrogate.userId,
      ]);
    const incoming = async () => (await homeOf(surrogate)).incoming;
    assert.deepEqual(await lists(), [['drafts'], ['requests'], ['requests']]);
    assert.ok((await incoming()).parts.length > 0);
    await belongs('now()');
    assert.deepEqual(await lists(), [[], [], []]);
    assert.deepEqual(await incoming(), { on_its_way_cents: 0, parts: [], account: null });
    await belongs('null');
    assert.deepEqual(await lists(), [['drafts'], ['requests'], ['requests']]);
  });

  test('a decision has the version and the receipts with which it can be decided right there', async () => {
    const { id } = await draft(surrogate);
    await move(surrogate, id, 'submit');
    const [shown] = (await homeOf(parent)).decisions.filter((one: ApiDisbursement) => one.id === id);
    assert.deepEqual(shown.files, []);
    assert.equal(shown.amount_cents, ASKED.amount_cents);
    const answer = await parent.post(`/api/disbursements/${id}/approve`, { version: shown.version });
    assert.equal(answer.status, 200);
  });

  test('the balance of the case is shown with its reserved and planned money, and never to a surrogate', async () => {
    const { rows } = await api.pool.query(
      `insert into scheduled_payment (case_id, category, description, due_date, amount_cents, payee_id)
       values ($1, 'Monthly', 'The first of all', '2020-01-04', 12345, $2) returning id`,
      [CASE_1, surrogate.userId],
    );
    const [ofParent, ofSurrogate, theCase] = await Promise.all([
      homeOf(parent),
      homeOf(surrogate),
      parent.get(`/api/cases/${CASE_1}`),
    ]);
    assert.equal(ofParent.balance.case_id, CASE_1);
    assert.equal(ofParent.balance.available_cents, theCase.body.balance.available_cents);
    assert.equal(ofParent.balance.held_cents, theCase.body.balance.held_cents);
    const planned = await api.pool.query(
      `select sum(amount_cents)::int as cents from scheduled_payment where case_id = $1 and status = 'planned'`,
      [CASE_1],
    );
    assert.equal(ofParent.balance.planned_cents, planned.rows[0].cents);
    assert.equal(ofSurrogate.balance, null);
    assert.ok(ofSurrogate.cases.every((one: { money: unknown }) => one.money === null));
    assert.equal(ofSurrogate.next_scheduled.id, Number(rows[0].id));
    await api.pool.query(`update scheduled_payment set payee_id = $2 where id = $1`, [rows[0].id, parent2.userId]);
    assert.notEqual((await homeOf(surrogate)).next_scheduled?.id, Number(rows[0].id), 'to somebody else');
  });

  test('the missing amount may exceed the largest amount', async () => {
    const { rows } = await api.pool.query(
      `insert into scheduled_payment (case_id, category, due_date, amount_cents)
       select $1, 'Monthly', '2020-01-04', 9999999999 from generate_series(1, 2) returning id`,
      [CASE_1],
    );
    const { shortfall, balance } = await homeOf(parent);
    assert.equal(shortfall.missing_cents, balance.planned_cents - balance.available_cents);
    assert.ok(shortfall.missing_cents > 9_999_999_999);
    const ids = rows.map(({ id }) => id);
    await api.pool.query(`update scheduled_payment set status = 'cancelled' where id = any($1)`, [ids]);
  });

  test('people who look after cases see how many are in each state, and who each stuck case waits for', async () => {
    for (const who of [manager, owner]) {
      const home = await homeOf(who);
      const listed = (await who.get('/api/cases?limit=100&overview=true')).body.data;
      const counted = home.cases_by_status.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
      assert.equal(counted, listed.length);
      const first = listed.find((one: { id: number }) => one.id === CASE_1);
      assert.match(first.overview.stuck.waiting_for, /^Waiting for /);
      assert.ok(first.overview.open_requests > 0);
      const since = home.requests.map(({ waiting_since }: { waiting_since: string }) => waiting_since);
      assert.deepEqual(since, since.toSorted(), 'the longest wait comes first');
    }
    const plain = (await manager.get('/api/cases')).body.data;
    assert.ok(
      plain.every((one: object) => !('overview' in one)),
      'only where it is asked for',
    );
  });

  test('[HOME-1, SHOWN-4] staff see the parts that their role lets them open', async () => {
    const home = await homeOf(viewer);
    const { cases_by_status } = await homeOf(escrow);
    assert.ok(cases_by_status.length > 0);
    assert.deepEqual([home.decisions, home.drafts], [[], []]);
    for (const one of home.cases) assert.notEqual(one.id, CASE_2);
  });

  test('[SHOWN-4] for each case, requests need their permission, and unread messages theirs', async () => {
    await surrogate.form('/api/messages', { message: 'Is it here?' });
    const role = `(select admin_role_id from user_account where email_address = 'escrow@demo.test')`;
    const take = (permissions: string[]) =>
      api.pool.query(`delete from admin_role_permission where admin_role_id = ${role} and permission = any($1)`, [permissions]);
    const readOverview = async () => {
      const [ofHome] = (await homeOf(escrow)).cases.filter(({ id }: { id: number }) => id === CASE_1);
      const listed = (await escrow.get('/api/cases?limit=100&overview=true')).body.data;
      const { overview } = listed.find(({ id }: { id: number }) => id === CASE_1);
      const shown = ({ stuck, open_requests, unread_count }: typeof overview) =>
        [stuck !== null, open_requests > 0, unread_count > 0].join();
      assert.equal(shown(ofHome), shown(overview));
      return shown(overview);
    };
    assert.equal(await readOverview(), 'true,true,true');
    await take(['view_messages']);
    assert.equal(await readOverview(), 'true,true,false');
    await take(['view_drs', 'create_drs', 'edit_drs', 'approve_drs']);
    assert.equal(await readOverview(), 'false,false,false');
  });
});

describe('[LIVE-5] the stream reports that a case’s money has changed', { timeout: 60_000 }, () => {
  const listen = async (who: Client): Promise<EventReader> => {
    const reader = await EventReader.open(`${api.baseUrl}/api/messages/events`, {
      authorization: `Bearer ${who.token}`,
    });
    assert.equal(reader.status, 200);
    await reader.next(({ event }) => event === 'unread');
    return reader;
  };
  const isCase = ({ event }: { event: string }) => event === 'case';

  test('people who see the case get the event, and only its maker gets the event of a draft', async () => {
    const [ofParent, ofOwner, ofStranger, ofSurrogate] = await Promise.all([parent, owner, stranger, surrogate].map(listen));
    const { id } = await draft(surrogate);
    const drafted = await ofSurrogate?.next(isCase);
    assert.equal(drafted?.data.case_id, CASE_1);
    await fundCase(api, CASE_2, 5_000_000);
    assert.equal((await ofStranger?.next(isCase))?.data.case_id, CASE_2, 'the draft of case 1 was not told');
    await move(surrogate, id, 'submit');
    const submitted = await ofSurrogate?.next(isCase);
    assert.deepEqual(submitted?.data, { case_id: CASE_1 });
    // Events come in the order of their transactions, so an event about the draft would have come first.
    for (const reader of [ofParent, ofOwner])
      assert.equal((await reader?.next(isCase))?.id, submitted?.id, 'no event about the draft');
    await moveCash(api, CASE_1, { kind: 'deposit', amount_cents: 100, memo: 'More' });
    assert.equal((await ofParent?.next(isCase))?.data.case_id, CASE_1);
    assert.equal((await decide(parent, id, 'deny', { reason: 'No' })).status, 200);
    assert.equal((await ofOwner?.next(isCase))?.data.case_id, CASE_1);
    for (const reader of [ofParent, ofOwner, ofStranger, ofSurrogate]) reader?.close();
  });
});
