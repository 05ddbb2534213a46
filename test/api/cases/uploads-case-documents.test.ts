import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { findActiveUserById } from '@case-platform/modules/accounts';
import { listCaseDocuments, removeCaseDocument } from '@case-platform/modules/cases';
import sharp from 'sharp';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { upload, uploadAndConfirm } from '../../support/direct-upload.ts';
import { SAMPLES } from '../../support/file-samples.ts';
import { grant } from '../../support/grant.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';
import { spreadIds } from '../../support/written-values.ts';

const api = await startApi();
// A route that mixes up two ids finds nothing.
await spreadIds(api);
await grant(api.pool, 'viewer', 'edit_case_details');
await grant(api.pool, 'finance', 'edit_case_details');
const { parent, surrogate, manager, owner, escrow, finance, viewer, root, bothSurrogate: stranger } = await api.everyone();

const documentsOf = (caseId: number) => `/api/cases/${caseId}/documents`;
const DOCUMENTS = documentsOf(CASE_1);
const csv = { filename: 'costs.csv', content_type: 'text/csv', content: Buffer.from('name,amount_cents\nRide,1200\n') };
const located = {
  filename: 'scan.jpg',
  content_type: 'image/jpeg',
  content: await sharp({ create: { width: 200, height: 200, channels: 3, background: '#ffffff' } })
    .withExif({ IFD0: { Make: 'Sesame' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } })
    .jpeg()
    .toBuffer(),
};
const commented = {
  filename: 'scan.gif',
  content_type: 'image/gif',
  content: Buffer.concat([SAMPLES.gif.subarray(0, 19), Buffer.from('!\xfe\x06Sesame\0', 'latin1'), SAMPLES.gif.subarray(19)]),
};
const add = async (who: Client, file = csv) => {
  const { status, body } = await uploadAndConfirm(who, DOCUMENTS, file);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const list = async (who: Client, query = '') => (await who.get(`${DOCUMENTS}${query}`)).body;

describe('documents of a case', () => {
  test('[UPLOAD-10] a document that one person adds is found by everyone of the case, newest first', async () => {
    const first = await add(parent);
    assert.deepEqual(
      { ...first, id: 0, created_at: '', url: '', url_expires_at: '' },
      {
        id: 0,
        case_id: CASE_1,
        filename: 'costs.csv',
        content_type: 'text/csv',
        size: csv.content.length,
        uploaded_by: { user_type: 'intended_parent', user_id: parent.userId, name: first.uploaded_by.name },
        created_at: '',
        picture_state: null,
        url: '',
        url_expires_at: '',
        can_delete: true,
      },
    );
    const second = await add(escrow);
    for (const who of [parent, surrogate, manager, owner, escrow]) {
      const { data } = await list(who);
      assert.deepEqual(
        data.slice(0, 2).map(({ id }: { id: number }) => id),
        [second.id, first.id],
      );
    }
    const response = await fetch(first.url);
    assert.match(
      response.headers.get('content-disposition') ?? '',
      /^attachment; filename="costs\.csv"; filename\*=UTF-8''costs\.csv$/,
    );
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), csv.content);
  });

  test('[UPLOAD-10, ERROR-2] a person who does not see the case finds nothing, and nothing is written', async () => {
    const { id } = await add(parent);
    const foreignKey = await upload(stranger, documentsOf(CASE_2), csv);
    for (const who of [stranger, viewer, finance]) {
      for (const answer of [
        await who.get(DOCUMENTS),
        await who.post(`${DOCUMENTS}/upload-url`, { filename: 'a.csv', content_type: 'text/csv' }),
        await who.post(`${DOCUMENTS}/confirm`, { file_key: foreignKey }),
        await who.call('DELETE', `${DOCUMENTS}/${id}`),
        await who.get(documentsOf(999_999)),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [404, 'not_found']);
      }
    }
    assert.ok((await list(parent)).data.some((document: { id: number }) => document.id === id));
    assert.equal((await parent.call('DELETE', `${documentsOf(CASE_2)}/${id}`)).status, 404);
    // Someone who sees the case makes the same calls.
    const begun = await parent.post(`${DOCUMENTS}/upload-url`, { filename: 'a.csv', content_type: 'text/csv' });
    const confirmed = await parent.post(`${DOCUMENTS}/confirm`, { file_key: await upload(parent, DOCUMENTS, csv) });
    const removed = await parent.call('DELETE', `${DOCUMENTS}/${id}`);
    assert.deepEqual([begun.status, confirmed.status, removed.status < 300], [200, 200, true]);
  });

  test('[UPLOAD-5] an upload for one case is not confirmed for another', async () => {
    const file_key = await upload(escrow, DOCUMENTS, csv);
    const elsewhere = await escrow.post(`${documentsOf(CASE_2)}/confirm`, { file_key });
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 'upload_not_found']);
    assert.equal((await escrow.post(`${DOCUMENTS}/confirm`, { file_key })).status, 200);
  });

  test('[UPLOAD-10] a person who left the case between the upload and its confirmation adds nothing', async (t) => {
    const file_key = await upload(manager, DOCUMENTS, csv);
    const set = (leftAt: string) =>
      api.pool.query(`update case_participant set left_at = ${leftAt} where case_id = $1 and user_id = $2`, [
        CASE_1,
        manager.userId,
      ]);
    t.after(() => set('null'));
    const count = async () => (await api.pool.query('select count(*)::int as n from case_document')).rows[0].n;
    const before = await count();
    await set('now()');
    assert.equal((await manager.post(`${DOCUMENTS}/confirm`, { file_key })).status, 404);
    assert.equal(await count(), before);
    await set('null');
    assert.equal((await manager.post(`${DOCUMENTS}/confirm`, { file_key })).status, 200, 'back on the case, they add it');
    assert.equal(await count(), before + 1);
  });

  test('[UPLOAD-10] a person who leaves the case while the upload is being confirmed adds nothing either', async (t) => {
    const file_key = await upload(manager, DOCUMENTS, csv);
    const set = (leftAt: string) =>
      api.pool.query(`update case_participant set left_at = ${leftAt} where case_id = $1 and user_id = $2`, [
        CASE_1,
        manager.userId,
      ]);
    t.after(() => set('null'));
    const count = async () => (await api.pool.query('select count(*)::int as n from case_document')).rows[0].n;
    const before = await count();
    const confirmed = await inOpenTransaction(api.pool, async (blocker) => {
      await blocker.query('select from pending_upload where id = $1 for update', [file_key.replace('uploads/', '')]);
      const confirmed = manager.post(`${DOCUMENTS}/confirm`, { file_key });
      await untilWaiting(api.pool, [confirmed]);
      await set('now()');
      await blocker.query('commit');
      return confirmed;
    });
    assert.equal(confirmed.status, 404);
    assert.equal(await count(), before);
    await set('null');
    assert.equal((await manager.post(`${DOCUMENTS}/confirm`, { file_key })).status, 200);
    assert.equal(await count(), before + 1);
  });

  test('[UPLOAD-10] a document is removed by the person who uploaded it and by admins who may edit the case, and by no others', async () => {
    const [mine, second] = [await add(parent), await add(parent)];
    for (const who of [surrogate, owner]) {
      const { data } = await list(who);
      assert.equal(data.find(({ id }: { id: number }) => id === mine.id).can_delete, false);
      assert.equal((await who.call('DELETE', `${DOCUMENTS}/${mine.id}`)).status, 403);
    }
    assert.equal((await parent.call('DELETE', `${DOCUMENTS}/${mine.id}`)).status, 204);
    assert.equal((await root.call('DELETE', `${DOCUMENTS}/${second.id}`)).status, 204);
    assert.equal((await parent.call('DELETE', `${DOCUMENTS}/${mine.id}`)).status, 404);
    await api.work();
    assert.equal((await fetch(mine.url)).status, 404);
    const { rows } = await api.pool.query(
      `select actor_id, case_id, subject_label, before from audit_entry
        where action = 'case_document.delete' and subject_id = any($1) order by id`,
      [[mine.id, second.id]],
    );
    assert.deepEqual(
      rows.map((row) => [Number(row.actor_id), Number(row.case_id), row.subject_label, row.before.uploaded_by]),
      [
        [parent.userId, CASE_1, 'costs.csv', parent.userId],
        [root.userId, CASE_1, 'costs.csv', parent.userId],
      ],
    );
  });

  test('[UPLOAD-10] behind the guard, staff on the case without edit_case_details cannot remove documents of others', async (t) => {
    const { id } = await add(parent);
    const user = await findActiveUserById(api.db, escrow.userId);
    assert.ok(user);
    t.after(() => grant(api.pool, 'escrow', 'edit_case_details'));
    await api.pool.query(`delete from admin_role_permission where permission = 'edit_case_details' and admin_role_id = $1`, [
      user.admin_role_id,
    ]);
    const { data } = await listCaseDocuments(api, user, CASE_1, {}, new Date());
    assert.equal(data.find((document) => document.id === id)?.can_delete, false);
    const removal = removeCaseDocument(api, { caseId: CASE_1, documentId: id }, { actor: user, origin: SYSTEM });
    await assert.rejects(removal, { message: 'Only the person who added a document can remove it.' });
  });

  test('[UPLOAD-10] of ten requests that remove a document at once, one succeeds', async () => {
    const { id } = await add(parent);
    const answers = await Promise.all(Array.from({ length: 10 }, () => parent.call('DELETE', `${DOCUMENTS}/${id}`)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(9).fill(404)]);
  });

  for (const picture of [located, commented])
    test(`[PICTURE-1] the location and comments of ${picture.filename} are removed before anyone else sees it`, async () => {
      const { id, url } = await add(parent, picture);
      const seenBy = async (who: Client) => (await list(who)).data.find((document: { id: number }) => document.id === id);
      const before = await seenBy(surrogate);
      assert.deepEqual([before.picture_state, before.url, before.url_expires_at], ['waiting', null, null]);
      assert.equal((await fetch(url)).status, 200);
      await api.work();
      const after = await seenBy(surrogate);
      assert.equal(after.picture_state, 'clean');
      const bytes = Buffer.from(await (await fetch(after.url)).arrayBuffer());
      assert.equal(bytes.length, after.size);
      assert.ok(picture.content.includes('Sesame') && !bytes.includes('Sesame'));
      await api.pool.query(
        `update stored_picture set state = 'failed', failure = 'damaged'
          where storage_key = (select storage_key from case_document where id = $1)`,
        [id],
      );
      const failed = [await seenBy(surrogate), await seenBy(parent)];
      assert.deepEqual(
        failed.map((one) => [one.picture_state, one.url === null]),
        [
          ['failed', true],
          ['failed', false],
        ],
      );
    });

  test('[IDEMPOTENCY-1] repeated requests with one Idempotency-Key add one document', async () => {
    const file_key = await upload(parent, DOCUMENTS, csv);
    const headers = { 'idempotency-key': randomUUID() };
    const first = await parent.post(`${DOCUMENTS}/confirm`, { file_key }, headers);
    const again = await parent.post(`${DOCUMENTS}/confirm`, { file_key }, headers);
    assert.deepEqual([first.status, again.status, again.body.id], [200, 200, first.body.id]);
    const other = await parent.post(`${DOCUMENTS}/confirm`, { file_key: 'uploads/other' }, headers);
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  });

  test('[API-1, API-2] pages follow each other without a gap; a foreign cursor is a 422', async () => {
    for (let count = 0; count < 3; count++) await add(surrogate);
    const whole = (await list(surrogate, '?limit=100')).data.map(({ id }: { id: number }) => id);
    const paged: number[] = [];
    let cursor = '';
    do {
      const page = await list(surrogate, `?limit=2${cursor}`);
      assert.ok(page.data.length <= 2);
      paged.push(...page.data.map(({ id }: { id: number }) => id));
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    assert.deepEqual(paged, whole);
    for (const query of ['?cursor=x', '?limit=0', '?limit=101', '?limit=a']) {
      assert.equal((await surrogate.get(`${DOCUMENTS}${query}`)).status, 422, query);
    }
  });

  test('[ERROR-5] numbers that are not a case or document are a 404 or 422, never a fault', async () => {
    for (const path of ['/api/cases/0/documents', '/api/cases/x/documents', '/api/cases/9007199254740993/documents']) {
      assert.equal((await parent.get(path)).status, 422, path);
    }
    assert.equal((await parent.call('DELETE', `${DOCUMENTS}/x`)).status, 422);
    assert.equal((await parent.call('DELETE', `${DOCUMENTS}/9007199254740991`)).status, 404);
  });
});
