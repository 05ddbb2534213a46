import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../test/support/database.ts';
import { eventually } from '../test/support/eventually.ts';
import {
  createDatabase,
  createPool,
  isDatabaseUnavailable,
  isInputRejectedByDatabase,
  isOvertaken,
  isUniqueViolation,
  type Transaction,
} from './database.ts';
import { query, sql } from './sql.ts';

const { db, pool, url } = await createTestDatabase();
const isTaken = { code: '23505' };

const add = (on: typeof db, key: string) => query(on, sql`insert into call_count (subject, minute, calls) values (${key}, 1, 1)`);
async function isKept(key: string): Promise<boolean> {
  return (await query(db, sql`select from call_count where subject = ${key}`)).length > 0;
}

test('a transaction commits all of its work or nothing, and returns the result of the work', async () => {
  const answer = await db.transaction(async (tx) => {
    await add(tx, 'kept');
    assert.equal(await isKept('kept'), false, 'no one else sees it before the commit');
    return 'an answer';
  });
  assert.equal(answer, 'an answer');
  assert.ok(await isKept('kept'));
  const wrong = new Error('of the work');
  const failed = db.transaction(async (tx) => {
    await add(tx, 'given up');
    throw wrong;
  });
  await assert.rejects(failed, wrong);
  assert.equal(await isKept('given up'), false);
  assert.equal(pool.idleCount, pool.totalCount, 'every connection is released');
});

test('a savepoint can fail by itself', async () => {
  await db.transaction(async (tx) => {
    await add(tx, 'whole');
    await tx.transaction((part) => add(part, 'first part'));
    await assert.rejects(
      tx.transaction((part) => add(part, 'whole')),
      isTaken,
    );
  });
  assert.deepEqual([await isKept('whole'), await isKept('first part')], [true, true]);
});

test('a savepoint that fails because of a nested one undoes all of its own work', async () => {
  await db.transaction(async (tx) => {
    await add(tx, 'around');
    const outer = tx.transaction(async (part) => {
      await add(part, 'outer part');
      await part.transaction((inner) => add(inner, 'around'));
    });
    await assert.rejects(outer, isTaken);
  });
  assert.deepEqual([await isKept('around'), await isKept('outer part')], [true, false]);
});

test('a transaction fails when the error of a statement was ignored', async () => {
  const swallowing = db.transaction(async (tx) => {
    await add(tx, 'swallowed');
    await assert.rejects(add(tx, 'swallowed'), isTaken);
  });
  await assert.rejects(swallowing, /nothing was committed/);
  assert.equal(await isKept('swallowed'), false);
});

test('statements sent together with one that fails do not count by themselves', async () => {
  const failed = db.transaction((tx) => Promise.all(['once', 'once', 'behind'].map((key) => add(tx, key))));
  await assert.rejects(failed, isTaken);
  assert.deepEqual([await isKept('once'), await isKept('behind')], [false, false]);
});

test('[SCALE-6] statements of a pipeline share a connection, and one that fails does not affect the others', async () => {
  const own = createPool({ url, name: 'pipeline', max: 3 });
  const pipeline = createDatabase(own).pipeline();
  const backend = async () =>
    (await pipeline.query({ text: 'select pg_backend_pid() as pid', values: [] })).rows[0] as { pid: number };
  for (let turn = 0; turn < 3; turn += 1) {
    const [first, failed, second] = await Promise.allSettled([
      backend(),
      pipeline.query({ text: 'select 1 / $1::int', values: [0] }),
      backend(),
    ]);
    assert.equal(failed.status === 'rejected' && failed.reason.code, '22012');
    assert.ok(first.status === 'fulfilled' && second.status === 'fulfilled');
    assert.equal(first.value.pid, second.value.pid);
    assert.deepEqual([own.totalCount, own.idleCount], [1, 1]);
  }
  // A failure is answered before its statement has ended, and the connection's next user waits for that end.
  await assert.rejects(pipeline.query({ text: 'select 1 / $1::int', values: [0] }), { code: '22012' });
  assert.deepEqual((await own.query('select 1 as one')).rows, [{ one: 1 }]);
  await own.end();
  const unreachable = createDatabase(createPool({ url: 'postgres://127.0.0.1:1/none', name: 'pipeline' })).pipeline();
  const lost = await Promise.allSettled(['a', 'b'].map((text) => unreachable.query({ text, values: [] })));
  assert.deepEqual(
    lost.map((one) => one.status === 'rejected' && isDatabaseUnavailable(one.reason)),
    [true, true],
  );
});

test('[SCALE-3, SCALE-6] behind a pooler, statements of a pipeline have connections of their own', async () => {
  const own = createPool({ url, name: 'pooled', max: 3, hasSession: false });
  const pipeline = createDatabase(own).pipeline();
  const backends = await Promise.all([1, 2].map(() => pipeline.query({ text: 'select pg_backend_pid() as pid', values: [] })));
  assert.equal(new Set(backends.map(({ rows }) => (rows[0] as { pid: number }).pid)).size, 2);
  await own.end();
});

test('a statement after the end of its transaction is rejected', async () => {
  const late = await db.transaction(async (tx): Promise<{ tx: Transaction }> => ({ tx }));
  await assert.rejects(add(late.tx, 'late'), /after the end of its transaction/);
  assert.equal(await isKept('late'), false);
});

/** A connection whose statements fail as this says, and a record of its statements and of its release. It answers in order. */
function fakeConnection(failing: Record<string, Error>, commit = 'COMMIT') {
  const record: unknown[] = [];
  let answered: Promise<unknown> = Promise.resolve();
  const client = {
    query: async (statement: string | { text: string }) => {
      const text = typeof statement === 'string' ? statement : statement.text;
      record.push(text);
      answered = answered.then(() => new Promise((resolve) => setImmediate(resolve)));
      await answered;
      if (failing[text] !== undefined) throw failing[text];
      return { rows: [], command: text === 'commit' ? commit : '' };
    },
    release: (broken?: Error) => record.push(['released', broken]),
  };
  return { record, db: createDatabase({ connect: async () => client } as unknown as typeof pool) };
}

test('[DATABASE-3] whatever fails in a transaction, its connection is released once, and as broken when it cannot roll back', async () => {
  const [first, second] = [new Error('first'), new Error('second')];
  const work = ['begin', 'a', 'b'];
  const rows: [
    failing: Record<string, Error>,
    commit: string,
    statements: string[],
    broken: Error | undefined,
    error: RegExp | null,
  ][] = [
    [{}, 'COMMIT', [...work, 'commit'], undefined, null],
    [{}, 'ROLLBACK', [...work, 'commit', 'rollback'], undefined, /nothing was committed/],
    [{ begin: first }, 'COMMIT', ['begin', 'rollback'], undefined, /first/],
    [{ b: first }, 'COMMIT', [...work, 'rollback'], undefined, /first/],
    [{ commit: first }, 'COMMIT', [...work, 'commit', 'rollback'], undefined, /first/],
    [{ b: first, rollback: second }, 'COMMIT', [...work, 'rollback'], second, /first/],
    [{ begin: first, rollback: second }, 'COMMIT', ['begin', 'rollback'], second, /first/],
  ];
  for (const [failing, commit, statements, broken, error] of rows) {
    const { db: own, record } = fakeConnection(failing, commit);
    const run = own.transaction((tx) => Promise.all(['a', 'b'].map((text) => tx.query({ text, values: [] }))));
    if (error === null) await run;
    else await assert.rejects(run, error);
    assert.deepEqual(record, [...statements, ['released', broken]]);
  }
  const { db: own, record } = fakeConnection({ a: first });
  await assert.rejects(own.query({ text: 'a', values: [] }), first);
  assert.deepEqual(record, ['a', ['released', undefined]], 'a single statement, too');
});

test('[DATABASE-3] when a server did not answer in time, idle connections to it are closed, and those in use stay', async () => {
  const own = createPool({ url, name: 'silent', max: 3 });
  const [waiting, ...idle] = await Promise.all([own.connect(), own.connect(), own.connect()]);
  for (const client of idle) client.release();
  const silent = { text: 'select pg_sleep(60)', query_timeout: 1 } as { text: string };
  await assert.rejects(own.query(silent), /Query read timeout/);
  await eventually('one connection is left', () => own.totalCount === 1);
  assert.equal((await waiting.query('select')).rowCount, 1);
  waiting.release();
  await own.end();
});

test('[DATABASE-3] a server that rejects our role or password counts as unavailable, as while the password is changed', async () => {
  const stranger = new URL(url);
  stranger.username = 'nobody';
  const own = createPool({ url: stranger.href, name: 'refused', max: 1 });
  await assert.rejects(own.query('select'), (error: { code?: string }) => {
    assert.match(error.code ?? '', /^28/);
    return isDatabaseUnavailable(error);
  });
  await own.end();
});

test('[DATABASE-3] each way in which a database is unavailable is distinguished from a wrong statement', () => {
  const away = [
    'ECONNREFUSED',
    'ECONNRESET',
    'ECONNABORTED',
    'ETIMEDOUT',
    'EPIPE',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EHOSTDOWN',
    '08000',
    '08006',
    '28000',
    '28P01',
    '53000',
    '53300',
    '57P01',
    '57P02',
    '57P03',
    '57P04',
    '57P05',
    '25006',
    '57014',
  ];
  for (const code of away) assert.equal(isDatabaseUnavailable({ code }), true, code);
  for (const message of [
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
    'Client was closed and is not queryable',
    'Client has encountered a connection error',
  ])
    assert.equal(isDatabaseUnavailable(new Error(message)), true, message);
  const wrong = ['23505', '23514', '42501', '42P01', '40001', '40P01', '22021', '57000', '25001', 'EACCES', '108006'];
  for (const code of wrong) assert.equal(isDatabaseUnavailable({ code, message: 'wrong' }), false, code);
  for (const other of [undefined, null, new Error('Not found'), new Error('the Query read timeout')])
    assert.equal(isDatabaseUnavailable(other), false, String(other));
});

test('[ERROR-4, ERROR-5] invalid input that a database rejects is distinguished from conflicts that may be tried again', () => {
  const inputs = ['22021', '22P05', '22003', '22008', '22P02'];
  const again = ['40001', '40P01'];
  const codes = [...inputs, ...again, '23505', '22001', '42501', '4000', '140001'];
  assert.deepEqual(
    codes.filter((code) => isInputRejectedByDatabase({ code })),
    inputs,
  );
  assert.deepEqual(
    codes.filter((code) => isOvertaken({ code })),
    again,
  );
  assert.deepEqual(
    codes.filter((code) => isUniqueViolation({ code })),
    ['23505'],
  );
  const violation = { code: '23505', constraint: 'one' };
  assert.deepEqual([isUniqueViolation(violation, 'one'), isUniqueViolation(violation, 'other')], [true, false]);
});
