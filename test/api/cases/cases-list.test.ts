import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1, CASE_2, CASE_3, type CastName } from '../../support/cast.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const escrow = await api.as('escrow');
const root = await api.as('root');

async function list(who: Client, query = ''): Promise<{ ids: number[]; next: string | null }> {
  const { status, body } = await who.get(`/api/cases${query}`);
  assert.equal(status, 200, query);
  return { ids: body.data.map(({ id }: { id: number }) => id), next: body.next_cursor };
}

test('[Other paths that appear] GET /api/cases lists the cases of the caller, and no others', async () => {
  const theirs: [CastName, number[]][] = [
    ['parent', [CASE_1]],
    ['surrogate', [CASE_1]],
    ['manager', [CASE_1]],
    ['owner', [CASE_1]],
    ['rep', [CASE_1]],
    ['bothParent', [CASE_2]],
    ['bothSurrogate', [CASE_2]],
    ['escrow', [CASE_1, CASE_2]],
    ['root', [CASE_1, CASE_2, CASE_3]],
    ['viewer', []],
  ];
  for (const [name, ids] of theirs)
    assert.deepEqual((await list(await api.as(name), '?sort=created_at')).ids.sort(), ids, name);
});

test('[Other paths that appear] it takes filters and a sort value; anything unknown is a 422', async () => {
  await api.pool.query("update case_file set status = 'on_hold' where id = $1", [CASE_2]);
  assert.deepEqual((await list(escrow, '?status=on_hold')).ids, [CASE_2]);
  assert.deepEqual((await list(escrow, '?status=active')).ids, [CASE_1]);
  assert.deepEqual((await list(escrow, '?q=case%202')).ids, [CASE_2]);
  assert.deepEqual((await list(root, '?sort=name')).ids, [CASE_1, CASE_2, CASE_3]);
  assert.deepEqual((await list(root, '?sort=-name')).ids, [CASE_3, CASE_2, CASE_1]);
  for (const query of ['?status=open', '?sort=id', '?sort=--name', '?limit=0', '?limit=101', '?cursor=x'])
    assert.equal((await root.get(`/api/cases${query}`)).status, 422, query);
});

test('[decisions 3] its pages follow each other without a gap, whatever the order', async () => {
  for (const sort of ['updated_at', '-updated_at', 'name', '-name', 'created_at', '-created_at']) {
    const whole = (await list(root, `?sort=${sort}`)).ids;
    const pages: number[] = [];
    let next: string | null = null;
    do {
      const page = await list(root, `?sort=${sort}&limit=1${next === null ? '' : `&cursor=${next}`}`);
      pages.push(...page.ids);
      next = page.next;
    } while (next !== null && pages.length <= whole.length);
    assert.deepEqual(pages, whole, sort);
    assert.equal(whole.length, 3);
  }
});
