import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallLimits, createThrottle } from '@case-platform/modules/accounts';
import { fromApiUserType } from '@case-platform/words/user-types';
import { startAdmin } from '../../admin/start-admin.ts';
import { CASE_1, CAST, type CastName, passwordOf } from '../../support/cast.ts';
import { lastCode } from '../../support/codes.ts';
import { fundCase } from '../../support/money.ts';
import { type Answer, startApi } from '../../support/platform.ts';

/**
 * The subject of each limit, in calls of the API. No one else is limited with it, not even another record under the same address,
 * and no other spelling or way avoids the count.
 */

type Kind = Parameters<ReturnType<typeof createThrottle>['consume']>[0] | Parameters<CallLimits['count']>[0];

let clock = Date.now();
const MINUTE = 60_000;
const options = { now: () => new Date(clock), trustProxy: '127.0.0.1' };
/** The smallest limits under which one kind can be used up without another one. */
const limits = { login: 4, login_address: 8, login_account: 6, reset_address: 8, proof_code: 4 };
const api = await startApi({ ...options, limits });
const staff = await startAdmin({ limits, now: options.now, config: { trustProxy: '127.0.0.1' }, database: api });
const byAddress = await startApi({ ...options, limits: { calls_address: 4 }, database: api });
const byPerson = await startApi({ ...options, limits: { calls_person: 4 }, database: api });
const byWriter = await startApi({ ...options, limits: { messages: 3 }, database: api });
await fundCase(api, CASE_1, 50_000);
await api.pool.query(`update user_account set two_factor_method = 'email' where email_address = 'both@demo.test'`);

/** An account that a limit may count, and where it calls from. */
interface Subject {
  who: CastName;
  /** How the address is written. */
  email?: string;
  /** How the type is written. */
  type?: string;
  /** The address of the caller; by default one that was never used before. */
  ip?: string;
  /** One of several calls that count together. */
  way?: string;
}

interface Row {
  most: number;
  /** Uses up one. The first spelling is `subject` itself. */
  spend: (subject: Subject) => Promise<Answer | { status: number }>;
  /** True if the subject succeeds, and false if its limit is reached. */
  succeeds: (subject: Subject) => Promise<boolean>;
  /** Subjects that count together. */
  together: Subject[];
  /** Subjects that are counted by themselves, by what is different about them. */
  others: Record<string, Subject>;
}

let last = 0;
/** Returns another number on each call, for what must not repeat. */
function next(): number {
  last += 1;
  return last;
}
const newAddress = () => `2001:db8:1000:${next().toString(16)}::1`;
const from = ({ ip = newAddress() }: Subject) => ({ 'x-forwarded-for': ip });
const wrongCode = '000000';

/** Says whether a call was within its limit. Anything but success and 429 fails the test. */
function isWithin({ status, body }: { status: number; body?: unknown }, success: number): boolean {
  assert.ok(status === success || status === 429, `${status} ${JSON.stringify(body)}`);
  return status === success;
}

const login = (subject: Subject, pass_hash = passwordOf(subject.who)) => {
  const { email_address, user_type } = CAST[subject.who];
  const { email = email_address, type = user_type } = subject;
  return api.anonymous.post('/api/user/auth/login', { email_address: email, user_type: type, pass_hash }, from(subject));
};
const loginOfStaffApp = ({ who, ...subject }: Subject, password: string) => {
  const fields = { email: CAST[who].email_address, user_type: fromApiUserType(CAST[who].user_type) ?? '', password };
  return staff.visitor().submit('/login', fields, from({ who, ...subject }));
};
const guess = (subject: Subject) =>
  subject.way === 'staff application' ? loginOfStaffApp(subject, 'wrong') : login(subject, 'wrong');
const signsIn = async (subject: Subject) => {
  if (subject.way !== 'staff application') return isWithin(await login(subject), 200);
  return isWithin(await loginOfStaffApp(subject, passwordOf(subject.who)), 303);
};
/** Guesses the password of an account that does not exist, so that only the address counts. */
const guessAny = (subject: Subject) => login({ ...subject, email: `guess-${next()}@demo.test` }, 'wrong');

/** Calls as someone who has just signed in, so that each call is of another session. */
async function as(subject: Subject, method: string, path: string, body?: object, by = api): Promise<Answer> {
  const { token } = await api.as(subject.who);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...from(subject) };
  return by.anonymous.call(method, path, { headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}
const account = () => ({
  holder_name: 'Some One',
  routing_number: '021000021',
  account_number: `98${1000 + next()}`,
  account_kind: 'checking',
});
const setAccount = (subject: Subject, more: object = {}) =>
  as(subject, 'PUT', '/api/user/me/bank-account', { ...account(), ...more });

/** The open challenges of sign-ins, which end after five wrong codes. */
const challenges = new Map<CastName, { tfa_token: string; tries: number }>();
async function challengeOf(who: CastName): Promise<string> {
  const last = challenges.get(who);
  const open = last !== undefined && last.tries < 5 ? last : { tfa_token: await openChallenge({ who }), tries: 0 };
  challenges.set(who, { ...open, tries: open.tries + 1 });
  return open.tfa_token;
}
async function openChallenge(subject: Subject): Promise<string> {
  await api.pool.query(`delete from throttle where key like 'send\\_code:%'`);
  const { status, body } = await login(subject);
  assert.equal(status, 200, JSON.stringify(body));
  return body.tfa_token;
}
const verify = (subject: Subject, tfa_token: string, code: string) =>
  api.anonymous.post('/api/user/auth/verify-totp', { tfa_token, code }, from(subject));
/** Sends a wrong code in one of the ways in which codes are accepted. */
async function sendWrongCode(subject: Subject): Promise<Answer> {
  if (subject.way === undefined) return verify(subject, await challengeOf(subject.who), wrongCode);
  // The newest challenge counts.
  clock += 1;
  await api.pool.query(`delete from throttle where key like 'send\\_code:%'`);
  assert.equal((await as(subject, 'POST', '/api/user/me/two-factor', { method: 'email' })).status, 200);
  if (subject.way === 'bank account') return setAccount(subject, { code: wrongCode });
  if (subject.way === 'confirm') return as(subject, 'POST', '/api/user/me/two-factor/confirm', { code: wrongCode });
  return as(subject, 'DELETE', '/api/user/me/two-factor', { code: wrongCode });
}

/** Gets a code in one of the ways in which codes are sent. */
async function getCode(subject: Subject): Promise<Answer> {
  if (subject.way === 'two-factor') return as(subject, 'POST', '/api/user/me/two-factor', { method: 'email' });
  if (subject.way === undefined) {
    const answer = await login(subject);
    if (answer.status === 200) challenges.set(subject.who, { tfa_token: answer.body.tfa_token, tries: 0 });
    return answer;
  }
  // A code is sent again after a minute.
  clock += MINUTE + 1;
  const { tfa_token } = challenges.get(subject.who) ?? assert.fail('there is a challenge');
  const answer = await api.anonymous.post('/api/user/auth/resend-otp', { tfa_token }, from(subject));
  return answer.status === 202 ? { ...answer, status: 200 } : answer;
}

const requestLink = ({ who, ...subject }: Subject) => {
  const { email = CAST[who].email_address, type = CAST[who].user_type } = subject;
  const pair = { email_address: email, user_type: type };
  return api.anonymous.post('/api/user/auth/password-reset/request', pair, from({ who, ...subject }));
};
/** Requests a link. The answer is the same above the limit, so the mail tells. */
async function getsLink(subject: Subject): Promise<boolean> {
  const { userId } = await api.as(subject.who);
  const countLinks = async () => {
    await api.work();
    const text = `select from delivery where event = 'password_reset' and user_id = $1`;
    return (await api.pool.query(text, [userId])).rowCount ?? 0;
  };
  const before = await countLinks();
  assert.equal((await requestLink(subject)).status, 202);
  return (await countLinks()) > before;
}
const mustGetLink = async (subject: Subject) => ({ status: (await getsLink(subject)) ? 202 : 429 });

const proof = (await (await api.as('parent')).post(`/api/cases/${CASE_1}/proofs`, { addressee: 'A clinic' })).body;
const checkProof = (subject: Subject, code: string) =>
  api.anonymous.call('GET', `/api/proof/${code}`, { headers: from(subject) });

const call = (by: typeof api, subject: Subject) => as(subject, 'GET', '/api/messages/unread/count', undefined, by);
/** Sends a message. It is counted before anything else, so also one that is rejected. */
async function write({ who, way }: Subject): Promise<{ status: number }> {
  const client = await byWriter.as(who);
  const answer =
    way === 'question'
      ? await client.post('/api/disbursements/999999/question', { text: 'Why?' })
      : await client.form(way === 'reply' ? '/api/messages/999999' : '/api/messages', { message: 'x', case_id: '999999' });
  return { status: answer.status === 429 ? 429 : 200 };
}

/** Subjects that count together if the network of the caller counts, and others. */
const networks = (who: CastName): Pick<Row, 'together' | 'others'>[] => [
  {
    together: [
      { who, ip: '2001:db8:7:1::1' },
      { who, ip: '2001:DB8:7:1:ffff::2' },
      { who: 'parent', ip: '2001:db8:0007:0001:1:2:3:4' },
    ],
    others: {
      'the next network': { who, ip: '2001:db8:7:2::1' },
      'another IPv4 address': { who, ip: '203.0.113.9' },
    },
  },
  {
    together: [
      { who, ip: '203.0.113.5' },
      { who: 'parent', ip: '::ffff:203.0.113.5' },
    ],
    others: {
      'the next address': { who, ip: '203.0.113.6' },
      'a network of IPv6': { who, ip: '2001:db8:7:3::1' },
    },
  },
];
/** Subjects that count together if the account counts, and others. */
const accounts = (ways: (string | undefined)[] = [undefined]): Pick<Row, 'together' | 'others'>[] => {
  const others = { 'the other record under the address': 'bothParent', 'someone else': 'mailotp' } as const;
  return [
    {
      // Each from another address, and in another session.
      together: [...ways, ...ways].map((way) => ({ who: 'bothSurrogate', ...(way !== undefined && { way }) })),
      others: Object.fromEntries(Object.entries(others).map(([what, who]) => [what, { who }])),
    },
  ];
};
/** Spellings of an account before someone is signed in, and others. */
const spelled = (home: { ip?: string } = {}): Pick<Row, 'together' | 'others'>[] => [
  {
    together: ['both@demo.test', ' Both@Demo.TEST ', 'Someone <both@demo.test>', 'mailto:both@demo.test.'].map((email) => ({
      who: 'bothSurrogate',
      email,
      ...home,
    })),
    others: {
      'the other record under the address': { who: 'bothParent', ...home },
      'someone else of the type': { who: 'surrogate', ...home },
    },
  },
  {
    together: ['ip_company', 'ip_rep'].map((type) => ({ who: 'rep', type, ...home })),
    others: { 'someone else': { who: 'owner', ...home } },
  },
];

const every = (subjects: Pick<Row, 'together' | 'others'>[], row: Omit<Row, 'together' | 'others'>): Row[] =>
  subjects.map((one) => ({ ...row, ...one }));

const ROWS: Record<Kind, Row[]> = {
  login: [
    ...every(spelled({ ip: '2001:db8:1:1::1' }), { most: limits.login, spend: guess, succeeds: signsIn }),
    {
      most: limits.login,
      spend: guess,
      succeeds: signsIn,
      together: [
        { who: 'viewer', ip: '2001:db8:1:2::1' },
        { who: 'viewer', ip: '2001:db8:1:2::2', way: 'staff application' },
      ],
      others: {
        'another network': { who: 'viewer', ip: '2001:db8:1:3::1' },
        'another account in the staff application': { who: 'finance', ip: '2001:db8:1:2::1', way: 'staff application' },
      },
    },
  ],
  login_address: every(networks('surrogate'), { most: limits.login_address, spend: guessAny, succeeds: signsIn }),
  login_account: every(spelled(), { most: limits.login_account, spend: guess, succeeds: signsIn }),
  code: every(accounts([undefined, 'two-factor', 'confirm', 'bank account']), {
    most: 10,
    spend: sendWrongCode,
    async succeeds(subject) {
      if (subject.way !== undefined) return isWithin(await sendWrongCode(subject), 422);
      const tfa_token = await openChallenge(subject);
      return isWithin(await verify(subject, tfa_token, await lastCode(api, 'email')), 200);
    },
  }),
  send_code: every(accounts([undefined, 'again', 'two-factor']), {
    most: 6,
    spend: getCode,
    succeeds: async (subject) => isWithin(await getCode(subject), 200),
  }),
  password: every(accounts([undefined, 'bank account']), {
    most: 10,
    spend: (subject) =>
      subject.way === undefined
        ? as(subject, 'POST', '/api/user/me/password', { pass_hash: 'wrong', new_pass_hash: 'Harbour-Lantern-42' })
        : setAccount(subject, { pass_hash: 'wrong' }),
    succeeds: async (subject) => isWithin(await setAccount(subject, { pass_hash: passwordOf(subject.who) }), 200),
  }),
  address_link: every(accounts(), {
    most: 3,
    spend: (subject) => as(subject, 'POST', '/api/user/me/email', { email_address: `a${next()}@elsewhere.test` }),
    // Everyone requests the same address, which is not counted.
    succeeds: async (subject) =>
      isWithin(await as(subject, 'POST', '/api/user/me/email', { email_address: 'same@elsewhere.test' }), 202),
  }),
  phone_change: every(accounts(), {
    most: 5,
    spend: (subject) => as(subject, 'PATCH', '/api/user/me', { phone: `+12025550${100 + (next() % 90)}` }),
    succeeds: async (subject) => isWithin(await as(subject, 'PATCH', '/api/user/me', { phone: '+12025550199' }), 200),
  }),
  account_change: every(accounts(), {
    most: 30,
    spend: setAccount,
    succeeds: async (subject) => isWithin(await setAccount(subject, { account_number: '1234567' }), 200),
  }),
  reset: every(spelled(), { most: 3, spend: mustGetLink, succeeds: getsLink }),
  reset_address: every(networks('surrogate'), {
    most: limits.reset_address,
    spend: (subject) => requestLink({ ...subject, email: `guess-${next()}@demo.test` }),
    succeeds: async (subject) => isWithin(await requestLink(subject), 202),
  }),
  proof_code: every(networks('surrogate'), {
    most: limits.proof_code,
    spend: (subject) => checkProof(subject, `WRONG${next()}`),
    succeeds: async (subject) => isWithin(await checkProof(subject, proof.code), 200),
  }),
  calls_address: every(networks('surrogate'), {
    most: 4,
    spend: (subject) => call(byAddress, subject),
    succeeds: async (subject) => isWithin(await call(byAddress, subject), 200),
  }),
  calls_person: every(accounts(), {
    most: 4,
    spend: (subject) => call(byPerson, subject),
    succeeds: async (subject) => isWithin(await call(byPerson, subject), 200),
  }),
  messages: every(accounts([undefined, 'reply', 'question']), {
    most: 3,
    spend: write,
    succeeds: async (subject) => isWithin(await write(subject), 200),
  }),
};

describe('[RATE-5] each limit counts its own subject', () => {
  for (const [kind, rows] of Object.entries(ROWS))
    for (const { most, spend, succeeds, together, others } of rows) {
      const { who, ip = 'anywhere' } = together[0] ?? assert.fail(kind);
      test(`[RATE-5] ${kind}: ${who} from ${ip} is limited in any spelling and way, and no one else`, async () => {
        challenges.clear();
        clock += MINUTE;
        await api.pool.query('delete from throttle');
        await api.pool.query('delete from sign_in');
        await api.pool.query('delete from call_count');
        for (let at = 0; at < most; at += 1) {
          const subject = together[at % together.length] as Subject;
          const { status } = await spend(subject);
          assert.notEqual(status, 429, `${at + 1} of ${most}: ${JSON.stringify(subject)}`);
        }
        for (const subject of together) assert.equal(await succeeds(subject), false, JSON.stringify(subject));
        for (const [what, subject] of Object.entries(others)) assert.equal(await succeeds(subject), true, what);
      });
    }
});
