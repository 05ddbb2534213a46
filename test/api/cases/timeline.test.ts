import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { bringTo, draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';

interface Entry {
  at: string;
  kind: string;
  text: string;
  by: { name: string; role: string } | null;
  url: string;
}

const api = await startApi();
await fundCase(api, CASE_1, 900_000_000);
const { surrogate, parent, manager, escrow, bothSurrogate: stranger } = await api.everyone();
const both = { maker: surrogate, checker: parent };

async function page(who: Client, search = '?limit=100'): Promise<{ data: Entry[]; next_cursor: string | null }> {
  const { status, body } = await who.get(`/api/cases/${CASE_1}/timeline${search}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
const textsOf = async (who: Client, search?: string) => (await page(who, search)).data.map(({ text }) => text);

describe('[TIMELINE-1] GET /api/cases/{id}/timeline', () => {
  test('a request appears once it was submitted, a draft to its maker only, and the bank without names of staff', async () => {
    const { id } = await draft(surrogate, { description: 'Story of a taxi' });
    const about = async (who: Client) => (await page(who)).data.filter(({ url }) => url === `/disbursements/${id}`);
    assert.deepEqual(await about(parent), []);
    await move(surrogate, id, 'submit');
    const [entry] = await about(parent);
    assert.equal(entry?.text, 'Money requested: Story of a taxi (Travel, $125.00)');
    assert.deepEqual(entry?.by, { name: 'Sarah Lindgren', role: 'surrogate' });
    await move(surrogate, id, 'cancel');
    assert.deepEqual(
      (await about(parent)).map(({ kind, text }) => [kind, text.split(':')[0]]),
      [
        ['request', 'Request cancelled'],
        ['request', 'Money requested'],
      ],
    );
    const undone = await bringTo(api, both, 'submitted', { description: 'Story of a bus' });
    const { version } = (await parent.get(`/api/disbursements/${undone}`)).body;
    await parent.post(`/api/disbursements/${undone}/approve`, { version, undoable: true });
    assert.equal((await parent.post(`/api/disbursements/${undone}/undo-approval`)).status, 200);
    assert.partialDeepStrictEqual((await page(parent)).data[0], {
      text: 'Approval undone: Story of a bus (Travel, $125.00)',
      by: { name: 'Paige Whitlock' },
    });
    const paid = await bringTo(api, both, 'returned', { description: 'Story of a train' });
    const steps = (await page(parent)).data.filter(({ url }) => url === `/disbursements/${paid}`);
    assert.deepEqual(
      steps.map(({ text, by }) => [text.split(':')[0], by?.name ?? null]),
      [
        ['Payment sent back by the bank', null],
        ['Paid', null],
        ['Payment put into the next bank transfer', null],
        ['Request approved', 'Paige Whitlock'],
        ['Money requested', 'Sarah Lindgren'],
      ],
    );
  });

  test('deposits appear to those who may see the balance', async () => {
    assert.ok((await textsOf(parent, '?kind=money')).includes('$9,000,000.00 paid in'));
    assert.deepEqual(await textsOf(surrogate, '?kind=money'), []);
  });

  test('a message appears without its words, to those who see its conversation', async () => {
    const secret = 'A word for my escrow specialist alone';
    const answer = await parent.form('/api/messages', { message: secret, subject: 'About us', case_id: String(CASE_1) });
    assert.equal(answer.status, 201);
    const url = `/messages/${answer.body.chain.id}`;
    const mine = (await page(parent)).data.find((one) => one.url === url);
    assert.deepEqual([mine?.kind, mine?.text, mine?.by?.name], ['message', 'New message in “About us”', 'Paige Whitlock']);
    assert.ok(!JSON.stringify(await page(parent)).includes(secret));
    assert.ok((await page(escrow)).data.some((one) => one.url === url));
    for (const who of [surrogate, manager]) assert.ok((await page(who)).data.every((one) => one.url !== url));
    const id = answer.body.message?.id ?? (await parent.get(`/api${url}`)).body.messages.data[0].id;
    assert.equal((await parent.call('DELETE', `/api${url}/${id}`)).status, 200);
    for (const who of [parent, escrow])
      assert.ok(
        (await page(who)).data.every((one) => one.url !== url),
        'a message that was taken back no longer appears',
      );
  });

  test('staff read messages and requests only with a permission for these', async (t) => {
    await bringTo(api, both, 'approved', { description: 'Story of a tram' });
    assert.equal((await parent.form('/api/messages', { message: 'x', case_id: String(CASE_1) })).status, 201);
    const role = `(select admin_role_id from user_account where id = ${escrow.userId})`;
    const previous = await api.pool.query(`select permission from admin_role_permission where admin_role_id = ${role}`);
    const setPermissions = async (permissions: readonly string[]) => {
      await api.pool.query(`delete from admin_role_permission where admin_role_id = ${role}`);
      await api.pool.query(`insert into admin_role_permission select ${role}, unnest($1::text[])`, [permissions]);
    };
    t.after(() => setPermissions(previous.rows.map(({ permission }) => permission)));
    const rows: [permissions: string[], kinds: string[]][] = [
      [[], []],
      [['view_messages'], ['message']],
      [['view_drs'], ['request']],
      [['create_drs'], ['request']],
      [['edit_drs'], ['request']],
      [['approve_drs'], ['request']],
      [
        ['view_messages', 'view_drs'],
        ['message', 'request'],
      ],
    ];
    for (const [permissions, kinds] of rows) {
      await setPermissions(['view_case_details', ...permissions]);
      const whole = new Set((await page(escrow)).data.map(({ kind }) => kind));
      const alone = await Promise.all(
        ['message', 'request'].map(async (kind) => ((await page(escrow, `?kind=${kind}`)).data.length > 0 ? kind : '')),
      );
      for (const shown of [whole, new Set(alone)])
        assert.deepEqual(
          ['message', 'request'].filter((kind) => shown.has(kind)),
          kinds,
          permissions.join(),
        );
      assert.ok(whole.has('money'), 'the other kinds stay');
    }
  });

  test('states and milestones appear, and can be filtered by kind', async () => {
    await api.pool.query(
      `insert into case_milestone (case_id, kind, happened_on, created_by) values ($1, 'birth', '2026-03-04', $2)`,
      [CASE_1, escrow.userId],
    );
    const { data } = await page(surrogate, '?kind=milestone&limit=100');
    assert.ok(data.every(({ kind }) => kind === 'milestone'));
    assert.ok(data.some(({ text, at }) => text === 'Birth' && at.startsWith('2026-03-04')));
  });

  test('page by page the timeline is complete, newest first, without repeats', async () => {
    await bringTo(api, both, 'returned', { description: 'Story of a bus' });
    await fundCase(api, CASE_1, 100);
    const whole = (await page(escrow)).data;
    assert.ok(whole.length > 6, `${whole.length} entries`);
    const moments = whole.map(({ at }) => at);
    assert.deepEqual(moments, moments.toSorted().toReversed());
    const pieces: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const part: { data: Entry[]; next_cursor: string | null } = await page(
        escrow,
        `?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      pieces.push(...part.data);
      cursor = part.next_cursor;
      if (pieces.length >= whole.length) break;
    }
    assert.deepEqual(pieces.slice(0, whole.length), whole);
    assert.equal((await escrow.get(`/api/cases/${CASE_1}/timeline?cursor=nonsense`)).status, 422);
  });

  test('a person cannot read the timeline of another case', async () => {
    for (const [who, id] of [
      [stranger, CASE_2],
      [surrogate, CASE_1],
    ] as const)
      assert.equal((await who.get(`/api/cases/${id}/timeline`)).status, 200);
    assert.equal((await stranger.get(`/api/cases/${CASE_1}/timeline`)).status, 404);
    assert.equal((await surrogate.get(`/api/cases/${CASE_2}/timeline`)).status, 404);
  });
});
