import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, type SqlParameter, sql } from '../sql.ts';
import type { NamedText } from './statement-name.ts';

const statements: NamedText[] = [];
const db = {
  async query(statement: NamedText & { values: SqlParameter[] }) {
    statements.push({ name: statement.name ?? '', text: statement.text });
    return { rows: [] };
  },
};

async function findPerson(id: number): Promise<void> {
  await Promise.resolve();
  await query(db, sql`select 1 from person where id = ${id}`);
}

test('a statement is named after the function that runs it, also in its text, with one name for each text', async () => {
  await findPerson(1);
  await findPerson(2);
  const [first, second] = statements.splice(0);
  assert.equal(first?.text, 'select /* statement-name.test.findPerson */ 1 from person where id = $1');
  assert.deepEqual(second, first);
});

test('[SCALE-3] the name depends only on the place and the text, so it is the same in every process', async () => {
  await findPerson(3);
  assert.equal(statements.splice(0)[0]?.name, 'statement-name.test.findPerson.fd1974a4d73a');
});

test('[SCALE-3] each text of one function has a name of its own, even if it begins with a bracket', async () => {
  const listPeople = async (...conditions: string[]) => {
    await query(db, sql`(select 1 where ${conditions.join()} = any(${conditions}))`);
    await query(db, conditions.length === 0 ? sql`(select 1)` : sql`(select 1 where ${conditions.join()} <> '')`);
  };
  await listPeople();
  await listPeople('x');
  const names = statements.splice(0).map(({ name }) => name);
  assert.equal(new Set(names).size, 3);
  assert.equal(names[0], names[2]);
  for (const name of names) assert.match(name ?? '', /^statement-name\.test\.listPeople\.[\da-f]{12}$/);
});

test('a long name is cut to the length that PostgreSQL keeps', async () => {
  const aFunctionWhoseNameIsLongerThanWhatPostgresKeepsOfTheNameOfAStatement = () => query(db, sql`select 'long'`);
  await aFunctionWhoseNameIsLongerThanWhatPostgresKeepsOfTheNameOfAStatement();
  assert.equal(statements.splice(0)[0]?.name?.length, 63);
});
