import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { flagAccount } from '../../../modules/banking/bank-accounts/flag-account.ts';
import { createAccountSeal } from '../../../modules/banking/bank-accounts/seal-account-number.ts';
import { CAST, DEMO_PASSWORD } from '../../support/cast.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { ACCOUNT, BANK, gather, openDesk, sign, step } from '../batches/batches-desk.ts';
import type { Visitor } from '../start-admin.ts';

/** An old staff session cannot change who owns an account or where money goes without a proof of identity (IDENTITY-5). */

const MINUTE = 60_000;
let clock = Date.now();
const { api, admin, surrogate, parent, root, putAccount } = await openDesk({ now: () => new Date(clock) });

const rowOf = async (text: string) => (await api.pool.query(text)).rows[0];
const idOf = async (name: keyof typeof CAST): Promise<number> =>
  (await rowOf(`select id from user_account where email_address = '${CAST[name].email_address}'`)).id;
const [payee, protectedId, rep] = [await idOf('surrogate'), await idOf('totp'), await idOf('rep')];

const ACCOUNT_PATH = `/bank-accounts/${payee}`;
const RECORD = { email_address: 'rep@demo.test', first_name: 'Other', last_name: 'Name', phone: '', agency_id: '' };

/** Makes each value new, so that there is something to change. */
let times = 0;
const digits = () => String(10_000 + times++);

/** The forms that ask for proof: what each sends, and where it leads when it is done. */
const ASKING: Record<string, { path: string; fields: () => Record<string, string>; done: string; prepare?: () => unknown }> = {
  '/account/two-factor': {
    path: '/account/two-factor',
    fields: () => ({ method: 'app' }),
    done: '/account/two-factor',
  },
  '/bank-accounts/:user_id': {
    path: ACCOUNT_PATH,
    done: `${ACCOUNT_PATH}?done=set`,
    fields: () => ({ ...ACCOUNT, holder_name: 'Sam Example', account_number: `99${digits()}` }),
  },
  '/bank-accounts/:user_id/correction': {
    path: `${ACCOUNT_PATH}/correction`,
    done: `${ACCOUNT_PATH}?done=set`,
    fields: () => ({}),
    prepare: flag,
  },
  ...batchStep('approve', 'approved', []),
  ...batchStep('sign', 'signed', ['approve', 'generate']),
  ...batchStep('hand-out', 'handed-out', ['approve', 'generate', 'sign']),
  '/batches/bank': {
    path: '/batches/bank',
    done: '/batches/bank?done=bank',
    fields: () => ({ ...BANK, bank_name: `Bank ${digits()}` }),
  },
  '/users/:user_id': {
    path: `/users/${rep}`,
    done: `/users/${rep}?done=saved`,
    fields: () => ({ ...RECORD, phone: `+120255${digits()}` }),
  },
  '/users/:user_id/reset-two-factor': {
    path: `/users/${protectedId}/reset-two-factor`,
    done: `/users/${protectedId}?done=two-factor`,
    fields: () => ({}),
  },
};

/** The batch that is next in line for its step. */
let batch = '';

/** A step of a batch that lets money leave. Finance makes the batches, and root takes the steps. */
function batchStep(name: string, done: string, stepsBefore: string[]) {
  const form = {
    get path() {
      return `${batch}/${name}`;
    },
    fields: () => ({}),
    get done() {
      return `${batch}?done=${done}`;
    },
    prepare: async () => {
      const [maker, checker] = [await admin.as('finance'), await admin.as('root')];
      batch = await gather(maker, [await approvedForParent()]);
      for (const one of stepsBefore) {
        if (one === 'sign') for (const who of [maker, checker]) await sign(who, batch);
        else await step(one === 'generate' ? maker : checker, batch, one);
      }
    },
  };
  return { [`/batches/:batch_id/${name}`]: form };
}

/** Writes an approved request to the table, because people's sign-ins end while the clock moves on. */
async function approvedForParent(): Promise<number> {
  const { rows } = await api.pool.query(
    `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by, status,
                                       submitted_by, submitted_at, approver_id, decided_at)
     values (1, 100, 'Travel', 'Train', $1, $1, 'approved', $1, now(), $2, now()) returning id::int`,
    [await idOf('parent'), await idOf('parent2')],
  );
  return rows[0].id;
}

/** Routes with similar names that do not ask for a recent proof, with the reason. */
const OTHERS: Record<string, string> = {
  '/account/confirm': 'this is where it is proven',
  '/account/password': 'takes the password each time',
  '/account/two-factor/confirm': 'takes a code of the method, which was begun after a proof',
  '/account/two-factor/off': 'takes a code of the method each time',
  '/account/sessions/close-others': 'only signs out',
  '/batches/:batch_id/cancel': 'lets nothing leave',
  '/batches/:batch_id/generate': 'makes a file that two people sign',
  '/batches/:batch_id/outcome': 'records what the bank has',
  '/batches/:batch_id/remove': 'lets nothing leave',
  '/batches/:batch_id/settle': 'records what the bank has paid',
  '/batches/:batch_id/unblock': 'makes a file that two people sign',
  '/users': 'a record that is new',
  '/users/:user_id/resend-invitation': 'goes to the address that stands there, of somebody without a password',
  '/users/:user_id/deactivate': 'only shuts out',
  '/users/:user_id/reactivate': 'changes nothing of what they prove themselves with',
  '/users/:user_id/role': 'one that may move money is confirmed by somebody else',
};

/** Flags the account as if the bank had sent another account number. */
async function flag(): Promise<void> {
  const { id } = await rowOf(`select id from payee_bank_account where user_id = ${payee} and replaced_at is null`);
  const correction = { account_number: `88${digits()}` };
  await api.db.transaction((tx) =>
    flagAccount(
      tx,
      createAccountSeal(TEST_SECRETS.encryptionKey),
      { bankAccountId: id, code: 'C01', correction, by: { actor: null, origin: SYSTEM } },
      new Date(clock),
    ),
  );
}

/** Reads everything that these forms could write. */
const written = () =>
  rowOf(
    `select (select md5(string_agg(u::text, '' order by id)) from user_account u) as people,
            (select md5(string_agg(a::text, '' order by id)) from payee_bank_account a) as accounts,
            (select md5(string_agg(b::text, '')) from bank_profile b) as bank,
            (select count(*) from address_change) as addresses, (select count(*) from tfa_challenge) as challenges,
            (select count(*) from audit_entry) as entries, (select count(*) from delivery) as mails`,
  );

/** Sends a form with the current version of its content. */
async function send(who: Visitor, { path, fields }: { path: string; fields: () => Record<string, string> }) {
  const { text } = await fresh.get(pageOf(path));
  const [version = '', sha256 = ''] = ['version', 'sha256'].map(
    (name) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1],
  );
  return who.post(path, { ...fields(), version, sha256 });
}
const pageOf = (path: string) => path.replace(/\/(correction|approve|sign|hand-out)$/, '');

for (const who of [surrogate, parent])
  assert.equal((await putAccount(who, who === parent ? { account_number: '55667788' } : {})).status, 200);
await flag();
assert.equal((await root.post('/batches/bank', BANK)).status, 303);
let fresh = await admin.as('root');

describe('a session that was left open', () => {
  for (const [url, form] of Object.entries(ASKING)) {
    test(`[IDENTITY-5] ${url} asks for identity eleven minutes after the sign-in, and not right after it`, async () => {
      const stale = await admin.as('root');
      clock += 11 * MINUTE;
      fresh = await admin.as('root');
      await form.prepare?.();
      const before = await written();
      const rejected = await send(stale, form);
      const isLed = rejected.status === 303 && rejected.location?.startsWith('/account/confirm?next=');
      assert.ok(isLed || rejected.status === 403, `${rejected.status} ${rejected.location}`);
      assert.deepEqual(await written(), before);
      const proof = await stale.post('/account/confirm', { password: DEMO_PASSWORD, next: '/account' });
      assert.equal(proof.location, '/account');
      const done = await send(stale, form);
      assert.deepEqual([done.status, done.location], [303, form.done], done.text);
      assert.notDeepEqual(await written(), before);
      if (form.path.endsWith('reset-two-factor')) return;
      await form.prepare?.();
      assert.equal((await send(fresh, form)).location, form.done, 'no proof is needed right after the sign-in');
    });
  }

  test('[IDENTITY-5] every route with a similar name is in one of the two lists', () => {
    const named = admin.guardedRoutes
      .filter(
        ({ method, url }) =>
          method === 'POST' && /^\/(account|users)\b|^\/batches\/:batch_id|bank|password|two-factor|phone|address/.test(url),
      )
      .map(({ url }) => url);
    assert.deepEqual(named.sort(), [...Object.keys(ASKING), ...Object.keys(OTHERS)].sort());
  });
});

describe('a form that asks for identity', () => {
  const FORMS = [ACCOUNT_PATH, '/batches/bank', `/users/${rep}/edit`];
  const fieldsOf = (text: string) => /name="(account_number|bank_name|email_address)"/.exec(text)?.[1];

  test('[IDENTITY-5] a form asks when it is opened, and leads back to it', async () => {
    const visitor = await admin.as('root');
    for (const path of FORMS) assert.ok(fieldsOf((await visitor.get(path)).text), path);
    clock += 11 * MINUTE;
    for (const path of FORMS) {
      const { status, text } = await visitor.get(path);
      assert.deepEqual([status, fieldsOf(text)], [200, undefined], path);
      const way = `href="/account/confirm?next=${encodeURIComponent(path)}"`;
      assert.ok(text.replaceAll('&#61;', '=').includes(way), path);
    }
    const proof = { password: DEMO_PASSWORD, next: FORMS[0] ?? '' };
    assert.equal((await visitor.post('/account/confirm', proof)).location, FORMS[0]);
    for (const path of FORMS) assert.ok(fieldsOf((await visitor.get(path)).text), path);
  });

  test('[IDENTITY-6] a form that was open for too long keeps what was typed, and can be saved after proof in another tab', async () => {
    const visitor = await admin.as('root');
    const form = await visitor.get(`/users/${rep}/edit`);
    clock += 11 * MINUTE;
    const typed = { ...RECORD, email_address: 'typed@demo.test', phone: '+12025550188' };
    const refused = await visitor.fill(form, `/users/${rep}`, typed);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /role="alert".*Confirm it’s you in a new tab/s);
    for (const value of ['typed@demo.test', '12025550188']) assert.ok(refused.text.includes(value), value);
    await visitor.post('/account/confirm', { password: DEMO_PASSWORD, next: '/account' });
    const saved = await visitor.fill(refused, `/users/${rep}`, typed);
    assert.equal(saved.location, `/users/${rep}?done=asked`);
  });

  test('[IDENTITY-7] a name changes without proof, because no one signs in or is paid by it', async () => {
    const visitor = await admin.as('root');
    clock += 11 * MINUTE;
    const { email_address, phone } = await rowOf(`select * from user_account where id = ${rep}`);
    const fields = { ...RECORD, email_address, phone: phone ?? '', first_name: 'Renamed' };
    assert.equal((await visitor.post(`/users/${rep}`, fields)).location, `/users/${rep}?done=saved`);
  });
});
