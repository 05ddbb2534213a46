import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordAudit, SYSTEM } from '@case-platform/lib/audit';
import { startApi } from '../../support/platform.ts';
import { findStoredSecrets } from '../../support/stored-secrets.ts';
import { startAdmin } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const [root, viewer, parent] = await admin.people('root', 'viewer', 'parent');

const log = async (query = '') => (await root.get(`/audit${query}`)).text;
const entriesIn = (text: string) => [...text.matchAll(/href="(\/audit\/\d+)"/g)].map(([, path = '']) => path);
const newest = async (query = '') => (await root.get(entriesIn(await log(query))[0] ?? '')).text;
const decoded = (_: string, code: string) => String.fromCodePoint(Number(code));
/** Returns the text of a page without its markup. */
const words = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('[AUDIT-1] each change of a role is in the audit log: who, what, before, after, when, from where', async () => {
  const created = await root.post('/roles', { name: 'Front desk' });
  const path = (created.location ?? '').split('?', 1)[0] ?? '';
  const page = await root.get(path);
  const saved = await root.fill(page, `${path}/permissions`, { permissions: ['view_users', 'view_agencies'] });
  const entry = await newest('?kind=role');
  assert.match(words(entry), /Ruth Adeyemi changed what the role Front desk allows/);
  assert.match(words(entry), /Permissions – Nothing See agencies See people/);
  assert.match(words(entry), /Who Ruth Adeyemi/);
  assert.ok(entry.includes(`href="${path}">Front desk<`));
  assert.ok(entry.includes('127.0.0.1'));
  assert.ok(entry.includes(saved.headers.get('x-request-id') ?? 'none'));
  assert.match(entry, /Staff application/);
  assert.match(entry, /<time datetime="20\d\d-/);
  await root.fill(await root.get(path), `${path}/name`, { name: 'Reception' });
  assert.match(words(await newest('?action=role.rename')), /Name Front desk Reception/);
});

test('[KEY-7] issuing and revoking a key is in the audit log, and the key is not', async () => {
  const issued = await root.post('/agencies/1/keys');
  const key = /agency_[\w-]{43}/.exec(issued.text)?.[0] ?? '';
  assert.ok(key, 'the page shows the key');
  const entry = await newest('?action=agency.issue_key');
  assert.match(words(entry), /Key \S+ Nothing \d+|Key – Nothing \d+/);
  assert.ok(!entry.includes(key));
  const [, revoke = ''] = /action="(\/agencies\/1\/keys\/\d+\/revoke)"/.exec((await root.get('/agencies/1')).text) ?? [];
  await root.post(revoke);
  assert.equal(entriesIn(await log('?action=agency.revoke_key')).length, 1);
});

test('[AUDIT-1, PASSWORD-7] a password changed through either application is in the audit log, without the password', async () => {
  const password = 'Another-Passw0rd-2!';
  const before = entriesIn(await log('?action=user.change_password')).length;
  await parent.post('/account/password', { current_password: 'Demo-Passw0rd!', new_password: password });
  const surrogate = await api.as('surrogate');
  await surrogate.post('/api/user/me/password', { pass_hash: 'Demo-Passw0rd!', new_pass_hash: password });
  const list = await log('?action=user.change_password');
  assert.equal(entriesIn(list).length - before, 2);
  const entries = (await Promise.all(entriesIn(list).map((path) => root.get(path)))).map(({ text }) => text);
  for (const layer of ['Web frontend and JSON API', 'Staff application'])
    assert.ok(
      entries.some((text) => text.includes(layer)),
      layer,
    );
  assert.ok(entries.every((text) => !text.includes(password)));
});

test('[AUDIT-3] the log is filtered by person, action, kind, case, and day', async () => {
  const escrow = await admin.as('escrow');
  const milestone = { kind: 'matched', happened_on: '2026-01-05', note: '', funding_required: '' };
  assert.equal((await escrow.post('/cases/2/milestones', milestone)).status, 303);
  const role = ((await root.post('/roles', { name: 'Night desk' })).location ?? '').split('?', 1)[0] ?? '';
  await root.fill(await root.get(role), `${role}/name`, { name: 'Late desk' });
  const narrowed = '?kind=role&who=root@demo.test&action=role.rename';
  assert.equal(entriesIn(await log('?who=escrow@demo.test')).length, 1);
  assert.equal(entriesIn(await log('?who=%20ESCROW@demo.test')).length, 1);
  assert.match(await log('?who=nobody@demo.test'), /No matching changes/);
  assert.match(await log('?case_id=3'), /No matching changes/);
  assert.match(await log('?from=2001-01-01&to=2001-12-31'), /No matching changes/);
  assert.ok(entriesIn(await log(`?from=${new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)}`)).length >= 3);
  assert.match(words(await newest(narrowed)), /Name Night desk Late desk/);
  const of = (await api.pool.query(`select count(*)::int as n from audit_entry where action = 'role.rename'`)).rows[0].n;
  assert.equal(entriesIn(await log(narrowed)).length, of);
  assert.equal((await root.get('/audit?who=&kind=&action=&case_id=&from=&to=')).status, 200);
  assert.match(await log('?kind=role'), /<option value="role" selected>Role</);
});

test('[AUDIT-3] a day of the filter is the reader’s whole day, in any time zone', async () => {
  // In Chile, 2026-09-06 begins at one o'clock because midnight does not exist.
  const days = [
    ['UTC', '2026-11-20', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'],
    ['America/Los_Angeles', '2026-11-20', '2026-11-20T08:00:00Z', '2026-11-21T08:00:00Z'],
    ['America/Los_Angeles', '2026-11-01', '2026-11-01T07:00:00Z', '2026-11-02T08:00:00Z'],
    ['Pacific/Kiritimati', '2026-11-20', '2026-11-19T10:00:00Z', '2026-11-20T10:00:00Z'],
    ['America/Santiago', '2026-09-05', '2026-09-05T04:00:00Z', '2026-09-06T04:00:00Z'],
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z'],
  ] as const;
  for (const [zone, day, first, end] of days) {
    root.cookies.set('case-zone', zone);
    const moments = [first, end].flatMap((moment) => [Date.parse(moment) - 1, Date.parse(moment)]);
    await admin.pool.query(
      `insert into audit_entry (layer, action, subject_label, happened_at)
       select 'system', 'test.moment', at::text, to_timestamp(at / 1000.0) from unnest($1::bigint[]) at`,
      [moments],
    );
    const text = await log(`?action=test.moment&from=${day}&to=${day}`);
    const shown = moments.map((moment) => text.includes(String(moment)));
    assert.deepEqual(shown, [false, true, true, false], `${zone} ${day}`);
  }
  root.cookies.delete('case-zone');
});

test('[API-2, ERROR-2] an impossible filter is a 422, and an entry that does not exist a 404', async () => {
  for (const query of ['?from=2026-02-30', '?to=yesterday', '?action=x', '?kind=A', '?before=0', '?before=4000000']) {
    assert.equal((await root.get(`/audit${query}`)).status, 422, query);
  }
  assert.equal((await root.get('/audit?case_id=9007199254740993000')).status, 422);
  for (const path of ['/audit/0', '/audit/x', '/audit/4000000']) assert.equal((await root.get(path)).status, 404, path);
});

test('[AUDIT-3] a long log comes in pages, each entry once, newest first', async () => {
  await admin.pool.query(
    `insert into audit_entry (layer, action, subject_id, subject_label, case_id, before, after)
     select 'worker', 'disbursement.pay', n, '<b>Request</b> ' || n, 1, '{"amount_cents": 100050, "paid_at": null}',
            '{"amount_cents": 200000, "paid_at": "2026-11-20T10:00:00Z"}' from generate_series(1, 120) n`,
  );
  const seen: string[] = [];
  for (let path: string | undefined = '/audit?case_id=1'; path !== undefined; ) {
    const { text } = await root.get(path);
    seen.push(...entriesIn(text));
    assert.ok(seen.length <= 120);
    path = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll(/&#(\d+);/g, decoded);
  }
  assert.equal(seen.length, 120);
  assert.equal(new Set(seen).size, 120);
  const entry = await root.get(seen[0] ?? '');
  assert.match(words(entry.text), /Amount \$1,000\.50 \$2,000\.00/);
  assert.match(words(entry.text), /Paid at – Nothing Friday, November 20, 2026/);
  assert.ok(!entry.text.includes('<b>Request'));
});

test('[SHOWN-1] the entries are hidden from a role without view_audit_log', async () => {
  for (const path of ['/audit', '/audit/1']) {
    const page = await viewer.get(path);
    assert.equal(page.status, 200);
    assert.match(page.text, /Your role can’t see the audit log/);
    assert.deepEqual(entriesIn(page.text), []);
    assert.equal((await parent.get(path)).status, 403);
  }
  assert.doesNotMatch((await viewer.get('/')).text, /href="\/audit"/);
  assert.match((await root.get('/')).text, /href="\/audit"/);
});

test('[AUDIT-5] an error page names the request id, which finds its changes in the audit log', async () => {
  const failed = await viewer.get('/cases/999999');
  const [, visit = ''] = /Visit <span class="mono">([0-9a-f-]{36})</.exec(failed.text) ?? [];
  assert.equal(entriesIn(await log(`?visit=${visit}`)).length, 0);
  const password = 'Another-Passw0rd-9!';
  await viewer.post('/account/password', { current_password: 'Demo-Passw0rd!', new_password: password });
  const entry = await newest(`?visit=${visit}`);
  assert.match(words(entry), /changed the password/i);
  assert.ok(entry.includes(`href="/audit?visit=${visit}"`));
  assert.equal(entriesIn(await log(`?visit=${visit}`)).length, 1, 'no one else’s');
  assert.deepEqual(await findStoredSecrets(api.pool, { session: viewer.cookies.get('case_session') ?? '' }), []);
  const stranger = await admin.visitor().get('/nowhere');
  assert.doesNotMatch(stranger.text, /Visit/);
});

test('[AUDIT-5] changes through the API are found by the request id that the browser names', async () => {
  const manager = await api.as('manager');
  const visit = '3f2a6c1e-90ab-4cde-8f01-23456789abcd';
  for (const [sent, timezone] of [
    [visit, 'America/Denver'],
    ['someone@example.test', 'America/Phoenix'],
  ] as const) {
    const body = JSON.stringify({ timezone });
    const headers = { 'content-type': 'application/json', 'x-visit-id': sent };
    assert.equal((await manager.call('PATCH', '/api/user/me', { body, headers })).status, 200);
  }
  const { rows } = await api.pool.query('select visit_id from audit_entry where actor_id = $1 order by id', [manager.userId]);
  assert.deepEqual(rows, [{ visit_id: visit }, { visit_id: null }]);
  assert.equal(entriesIn(await log(`?visit=${visit}`)).length, 1);
  assert.equal((await root.get('/audit?visit=x')).status, 422);
});

test('[AUDIT-1] an entry has up to 300 characters of its subject, its own time if it is of the past, and the person or the platform', async () => {
  const past = new Date('2020-02-29T12:34:56.789Z');
  const { rows: people } = await api.pool.query(
    `select id::int, user_type from user_account where email_address = 'root@demo.test'`,
  );
  const [actor] = people;
  await api.db.transaction(async (tx) => {
    await recordAudit(tx, { actor: null, origin: SYSTEM, action: 'example.first', subject_label: 'x'.repeat(299) });
    await recordAudit(tx, {
      actor,
      origin: { layer: 'admin', happened_at: past },
      action: 'example.second',
      subject_label: 'x'.repeat(301),
    });
  });
  const { rows } = await api.pool.query(
    `select actor_id is null as is_platform, layer, length(subject_label) as length, happened_at, happened_at > now() - interval '1 hour' as is_now
       from audit_entry where action like 'example.%' order by id`,
  );
  const [first, second] = rows;
  assert.deepEqual([first.is_platform, first.layer, first.length, first.is_now], [true, 'system', 299, true]);
  assert.deepEqual([second.is_platform, second.layer, second.length, second.happened_at], [false, 'admin', 300, past]);
});
