import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { startAdmin } from '../admin/start-admin.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { startApi } from '../support/platform.ts';
import { type Ended, operate } from './operator.ts';

const PASSWORD = 'Correct-Horse-Battery-9';

/** Creates a database, empty or from a template, with the settings for it and the program under test. */
async function open(template?: string) {
  const { ownerUrl, url } = await createEmptyDatabase(template);
  const pool = createPool({ url, name: 'test', max: 10 });
  after(() => pool.end());
  const settings = {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    MIGRATION_DATABASE_URL: ownerUrl,
    WEB_URL: 'https://web.company.test',
    ADMIN_URL: 'https://staff.company.test',
  };
  const run = (program: string, args: string[], overrides = {}) => operate(program, args, { ...settings, ...overrides });
  const create = (...args: string[]) => run('scripts/operate.mjs', ['create-admin', ...args]);
  return { database: { url, pool, db: createDatabase(pool) }, run, create };
}

const { database: withTables, run: runFirst } = await open();
const ended = await runFirst('scripts/start/prepare.ts', []);
assert.equal(ended.code, 0, ended.errors);
const prepared = new URL(withTables.url).pathname.slice(1);

const first = ['--email', 'First@Company.test', '--name', 'First van Administrator'];

describe('[OPERATE-1] the first administrator', () => {
  test('[OPERATE-1] a database that was not prepared, and missing arguments, are rejected in one line', async () => {
    const bare = await (await open()).create(...first);
    assert.deepEqual([bare.code, bare.output], [1, '']);
    assert.match(bare.errors, /^The database has no tables yet\. Run `node scripts\/start\/prepare.ts` first\.\n$/);
    const { create } = await open(prepared);
    for (const args of [[], ['--email', 'a@b.test'], [...first, '--role', 'x'], [...first, 'more']]) {
      const { code, errors } = await create(...args);
      assert.deepEqual([code, errors.split('\n').length], [1, 2], errors);
      assert.match(errors, /^Use: npm run create-admin/);
    }
    assert.match((await create('--email', 'nowhere', '--name', 'A B')).errors, /^Enter a full email address/);
    assert.match((await create('--email', 'a@b.test', '--name', 'Ada')).errors, /^The name needs a first and a last name/);
  });

  test('[OPERATE-1] of two at the same time one is created, and its link sets a password that signs in with every right', async () => {
    const { create, database } = await open(prepared);
    const ended = await Promise.all([create(...first), create('--email', 'second@company.test', '--name', 'Second One')]);
    assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 1], JSON.stringify(ended));
    const made = ended.find(({ code }) => code === 0)?.output ?? '';
    const address = new URL(/^https:\S+$/m.exec(made)?.[0] ?? '');
    assert.equal(address.origin, 'https://web.company.test');
    assert.match(ended.find(({ code }) => code === 1)?.errors ?? '', /^There is an administrator already: .*--another/);

    const api = await startApi({ database });
    const token = address.hash.replace('#token=', '');
    const set = await api.anonymous.post('/api/user/auth/password-reset/confirm', { token, pass_hash: PASSWORD });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    const admin = await startAdmin({ database });
    const visitor = admin.visitor();
    const [email = ''] = made.split(' ', 1);
    assert.equal((await visitor.signIn(email, PASSWORD)).status, 303);
    const roles = await visitor.get('/roles');
    assert.equal(roles.status, 200);
    for (const role of ['Administrator', 'Escrow Specialist', 'Finance', 'Viewer']) assert.ok(roles.text.includes(role), role);
    assert.match((await visitor.get('/audit')).text, /Automatic/);
  });

  test('[OPERATE-1] another administrator needs --another, and is announced to the existing ones', async () => {
    const { create, database } = await open(prepared);
    const api = await startApi({ database });
    const linkOf = ({ code, output, errors }: Ended) => {
      assert.equal(code, 0, errors);
      return new URL(/^https:\S+$/m.exec(output)?.[0] ?? '');
    };
    const confirm = (address: URL) =>
      api.anonymous.post('/api/user/auth/password-reset/confirm', {
        token: address.hash.replace('#token=', ''),
        pass_hash: PASSWORD,
      });
    assert.equal((await confirm(linkOf(await create(...first)))).status, 200);
    const person = ['--email', 'other@company.test', '--name', 'Other Administrator'];
    assert.equal((await create(...person)).code, 1);
    const before = linkOf(await create(...person, '--another'));
    const now = linkOf(await create(...person, '--another'));
    assert.notEqual(before.href, now.href);
    assert.equal((await confirm(before)).status, 422, 'the earlier link is rejected');
    assert.equal((await confirm(now)).status, 200);
    assert.match((await create(...person, '--another')).errors, /^There is already a record with this email address/);
    const { rows } = await database.pool.query(`select count(*)::int as mails from delivery where event = 'role_granted'`);
    assert.deepEqual(rows, [{ mails: 1 }]);
  });

  test('[OPERATE-1, SETTING-1] production settings are checked first', async () => {
    const { run } = await open(prepared);
    const unsafe = { WEB_URL: 'http://web.company.test' };
    const { code, errors } = await run('scripts/operate.mjs', ['create-admin', ...first], unsafe);
    assert.equal(code, 1);
    assert.match(errors, /^WEB_URL must be an https address\.\n$/);
  });
});
