import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexWords } from '../../apps/worker/index-words.ts';
import { CASE_1 } from '../support/cast.ts';
import { bringTo } from '../support/money.ts';
import { startApi } from '../support/platform.ts';
import { inOpenTransaction } from '../support/run-overlapping.ts';

const api = await startApi();
const { parent, surrogate } = await api.everyone();
await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
await parent.form('/api/messages', { message: 'Hello', case_id: String(CASE_1) });

test('[API-6] words of a row that someone is changing are rewritten later, and those of the other rows at once', async () => {
  const { rows: tables } = await api.pool.query<{ name: string }>(
    `select table_name::text as name from information_schema.columns
      where column_name = 'search_version' and table_schema = 'public' order by 1`,
  );
  assert.ok(tables.length >= 5);
  for (const { name } of tables) {
    const old = async () => (await api.pool.query(`select id from ${name} where search_version = 0`)).rows;
    await api.pool.query(`update ${name} set search_version = 0`);
    const [busy] = await old();
    await inOpenTransaction(api.pool, async (writer) => {
      await writer.query(`select from ${name} where id = $1 for update`, [busy.id]);
      await indexWords(api.db);
      assert.deepEqual(await old(), [busy], name);
    });
    await indexWords(api.db);
    assert.deepEqual(await old(), [], name);
  }
});
