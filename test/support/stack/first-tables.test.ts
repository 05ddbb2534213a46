import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPool } from '@case-platform/lib/database';
import { createTestDatabase, serverUrl } from '../database.ts';
import { eventually } from '../eventually.ts';
import { keepTables, putTablesBack } from './first-tables.ts';

const { url } = await createTestDatabase();
const owner = createPool({ url: serverUrl(new URL(url).pathname.slice(1)), name: 'test', max: 2 });
after(() => owner.end());
await keepTables(owner);

/** A hash of every table, and the value of every sequence. `database_copy` is left out, because it differs in every copy. */
async function fingerprint(): Promise<unknown> {
  const { rows } = await owner.query(`select * from (
    select tablename as name, (xpath('//t/text()', query_to_xml(format(
             'select md5(string_agg(r::text, chr(10) order by r::text)) as t from public.%I r', tablename), true, true, '')))[1]::text
      from pg_tables where schemaname = 'public' and tablename <> 'database_copy'
    union all
    select sequencename, last_value::text from pg_sequences where schemaname = 'public') as fingerprint (name, state) order by name`);
  return rows;
}

test('rows that were added, changed, or removed in any table are restored, any number of times', async () => {
  const before = await fingerprint();
  for (const address of ['first@demo.test', 'second@demo.test']) {
    await owner.query(`update user_account set email_address = $1 where email_address = 'parent@demo.test'`, [address]);
    await owner.query(`insert into agency (name) values ($1)`, [address]);
    await owner.query('delete from case_admin');
    assert.notDeepEqual(await fingerprint(), before);
    await putTablesBack(owner);
    assert.deepEqual(await fingerprint(), before);
  }
});

test('restoring the tables gives way to a page that reads them in another order', async () => {
  const reader = await owner.connect();
  await reader.query('begin; select from user_account');
  const putBack = putTablesBack(owner);
  await eventually('it waits for the reader', async () => {
    const { rowCount } = await reader.query(
      `select from pg_locks where not granted and mode = 'AccessExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())`,
    );
    return rowCount === 1;
  });
  const { rows } = await reader.query<{ all: string }>(
    `select string_agg(format('public.%I', tablename), ', ') as all from pg_tables where schemaname = 'public'`,
  );
  await reader.query(`lock table ${rows[0]?.all} in access share mode; commit`);
  reader.release();
  await putBack;
});
