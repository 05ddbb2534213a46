import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { samplePdf, samplePng } from '../../../scripts/demo/sample-files.ts';
import { CAST, passwordOf } from '../../support/cast.ts';
import { uploadAndConfirm } from '../../support/direct-upload.ts';
import type { Page } from '../start-admin.ts';
import { PeopleDesk } from './people-desk.ts';

const people = await PeopleDesk.start(() => new Date());
const { admin, root, desk } = people;
const [escrow, viewer, owner] = await admin.people('escrow', 'viewer', 'owner');
const PERSON = { first_name: 'New', last_name: 'Person', phone: '', agency_id: '', admin_role_id: '' };
const namesIn = ({ text }: Page) => [...text.matchAll(/href="\/users\/\d+">([^<]+)</g)].map(([, name]) => name);

describe('finding people', () => {
  test('[STAFF-1] the list is searched by beginnings and filtered by role, state, agency, and staff role', async () => {
    assert.deepEqual(namesIn(await root.get('/users?q=ele+mar')), ['Elena Marsh']);
    assert.deepEqual(namesIn(await root.get('/users?q=rach&user_type=ip_rep')), ['Rachel Novak']);
    assert.deepEqual(namesIn(await root.get('/users?status=deactivated')), []);
    assert.deepEqual(namesIn(await root.get('/users?agency_id=1&user_type=cm')), ['Megan Alvarado']);
    const { id } = await people.one<{ id: number }>(`select id from admin_role where name = 'Viewer'`);
    assert.deepEqual(namesIn(await root.get(`/users?role_id=${id}`)), ['Vera Lindqvist']);
    assert.match((await root.get('/users?q=nobody-at-all')).text, /No matching people/);
  });

  test('[LAYER-2] a search by address finds all of its records, and by address and type one', async () => {
    assert.deepEqual(namesIn(await root.get('/users?q=both@demo.test')), ['Camila Navarro', 'Julia Navarro']);
    assert.deepEqual(namesIn(await root.get('/users?q=both@demo.test&user_type=ip')), ['Julia Navarro']);
  });

  test('[API-2, ERROR-2] impossible filters are rejected, and unknown people are a 404', async () => {
    for (const query of ['user_type=intended_parent', 'status=gone', 'agency_id=x', 'cursor=-1', `q=${'x'.repeat(201)}`])
      assert.equal((await root.get(`/users?${query}`)).status, 422, query);
    for (const path of ['/users/999999', '/users/0', '/users/x', '/users/99999999999999999999', '/users/999999/edit'])
      assert.equal((await root.get(path)).status, 404, path);
    for (const path of ['', '/role', '/deactivate', '/reactivate', '/resend-invitation', '/reset-two-factor']) {
      const answer = await root.post(`/users/999999${path}`, { ...PERSON, email_address: 'x@demo.test' });
      assert.equal(answer.status, 404, path);
    }
  });

  test('[GUARD-9] a record shows what the reader may see and do', async () => {
    const id = await people.idOf('surrogate');
    const full = await root.get(`/users/${id}`);
    assert.match(full.text, /surrogate@demo\.test/);
    assert.match(full.text, /Emails, texts and notifications/);
    assert.match(full.text, />Changes</);
    assert.match(full.text, new RegExp(`/users/${id}/deactivate`));
    assert.match(full.text, new RegExp(`href="/bank-accounts/${id}"`));
    const reading = (await escrow?.get(`/users/${id}`))?.text ?? '';
    assert.match(reading, /href="\/cases\/1"/, 'a case that both are on');
    assert.doesNotMatch(reading, /\/deactivate|\/edit|>Changes</);
    const little = (await viewer?.get(`/users/${id}`))?.text ?? '';
    assert.doesNotMatch(
      little,
      /href="\/cases\/|Emails, texts and notifications|\/deactivate|\/bank-accounts/,
      'no case that the reader does not see',
    );
    assert.doesNotMatch((await root.get(`/users/${await people.idOf('root')}`)).text, /\/deactivate|\/bank-accounts/);
    const specialist = (await root.get(`/users/${await people.idOf('escrow')}`)).text;
    assert.match(specialist, /the escrow specialist of \d+ open cases?, so someone else has to take over/);
  });
});

describe('who can change people', () => {
  const paths = async () => {
    const id = await people.idOf('parent2');
    return ['', '/role', '/deactivate', '/reactivate', '/resend-invitation', '/reset-two-factor'].map(
      (path) => `/users/${id}${path}`,
    );
  };

  test('[GUARD-4] without edit_users: 403, never a redirect, and nothing is written', async () => {
    const before = await people.written();
    for (const who of [escrow, viewer, owner]) {
      for (const path of ['/users', ...(await paths())]) {
        const page = await who?.post(path, { ...PERSON, user_type: 'ip', email_address: 'no@demo.test' });
        assert.deepEqual([page?.status, page?.location], [403, null], path);
      }
    }
    for (const path of ['/users', ...(await paths())]) assert.equal((await admin.visitor().post(path)).status, 401);
    assert.equal((await root.submit((await paths())[2] ?? '', {})).status, 403, 'without the form’s token');
    assert.deepEqual(await people.written(), before);
  });

  test('[SHOWN-1, GUARD-3] any admin may open the pages, and no one else', async () => {
    for (const path of ['/users', '/users/new', `/users/${await people.idOf('parent')}`]) {
      assert.equal((await viewer?.get(path))?.status, 200, path);
      assert.equal((await owner?.get(path))?.status, 403, path);
      assert.equal((await admin.visitor().get(path)).location, `/login?next=${encodeURIComponent(path)}`);
    }
    assert.match((await viewer?.get('/users/new'))?.text ?? '', /can’t invite people/);
  });

  test('[STAFF-4] without manage_roles an admin cannot take over an account with a role', async () => {
    const id = await people.idOf('totpAdmin');
    const role = await people.roleId('Administrator');
    const before = await people.written();
    const person = { first_name: 'Tobias', last_name: 'Wren', phone: '', email_address: 'mine@demo.test' };
    assert.equal((await desk.post(`/users/${id}`, person)).status, 403);
    assert.equal((await desk.post(`/users/${id}/reset-two-factor`)).status, 403);
    assert.equal((await desk.post(`/users/${id}/role`, { admin_role_id: '' })).status, 403);
    const given = await people.invite({ user_type: 'admin', email_address: 'mine@demo.test', admin_role_id: String(role) }, desk);
    assert.equal(given.status, 403);
    assert.deepEqual(await people.written(), before);
    const choosing = /name="admin_role_id"/;
    assert.doesNotMatch((await desk.get('/users/new')).text, choosing);
    assert.match((await root.get('/users/new')).text, choosing);
  });
});

describe('identity', () => {
  test('[STAFF-7] staff see the portrait and open the photo ID, and each look is in the audit log', async () => {
    const surrogate = await people.api.as('surrogate');
    const { userId: id } = surrogate;
    const page = `/users/${id}`;
    assert.match((await desk.get(page)).text, /No photo ID yet/);
    assert.equal((await desk.get(`${page}/photo-id`)).status, 404);
    const content = samplePdf('Passport');
    const pdf = { filename: 'passport.pdf', content_type: 'application/pdf', content };
    await uploadAndConfirm(surrogate, '/api/user/me/photo-id', pdf);
    assert.match((await desk.get(page)).text, /href="\/users\/\d+\/photo-id"[^>]*>passport\.pdf</);
    assert.doesNotMatch((await viewer?.get(page))?.text ?? '', /photo-id|passport\.pdf/);
    assert.equal((await viewer?.get(`${page}/photo-id`))?.status, 403);
    const { status, headers } = await desk.get(`${page}/photo-id`);
    assert.equal(status, 303);
    const paper = await fetch(headers.get('location') ?? '');
    assert.deepEqual(Buffer.from(await paper.arrayBuffer()), content);
    const looks = await people.api.pool.query(
      `select actor_id, layer from audit_entry where action = 'photo_id.view' and subject_id = $1`,
      [id],
    );
    assert.deepEqual(
      looks.rows.map(({ actor_id, layer }) => [Number(actor_id), layer]),
      [[await people.idOf('finance'), 'admin']],
    );
    const picture = { filename: 'id.png', content_type: 'image/png', content: samplePng() };
    await uploadAndConfirm(surrogate, '/api/user/me/photo-id', picture);
    assert.equal((await desk.get(`${page}/photo-id`)).status, 409, 'a picture may still say where it was taken');
    await people.api.pool.query("update stored_picture set state = 'clean'");
    assert.equal((await desk.get(`${page}/photo-id`)).status, 303);
    const stranger = admin.visitor();
    await stranger.signIn(CAST.surrogate.email_address, passwordOf('surrogate'), 'surrogate');
    assert.notEqual((await stranger.get(`${page}/photo-id`)).status, 303);
  });
});
