import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { CASE_1 } from '../../support/cast.ts';
import { upload, uploadAndConfirm } from '../../support/direct-upload.ts';
import { type ApiDisbursement, bringTo, draft, fundCase, move } from '../../support/money.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { spreadIds } from '../../support/written-values.ts';

const api = await startApi();
// A route that mixes up two ids finds nothing.
await spreadIds(api);
await fundCase(api, CASE_1, 1_000_000);
const { surrogate, parent, manager, finance, bothSurrogate: stranger } = await api.everyone();
const both = { maker: surrogate, checker: parent };
const pdf = { filename: 'receipt.pdf', content_type: 'application/pdf', content: samplePdf('Receipt') };
const filesOf = (id: number) => `/api/disbursements/${id}/files`;
const read = async (who: Client, id: number) =>
  (await who.get(`/api/disbursements/${id}`)).body as ApiDisbursement & { files: { id: number; url: string }[] };

test('[UPLOAD-1, UPLOAD-10] a receipt goes straight to the storage, and everyone who sees the request reads it', async () => {
  const { id } = await draft(surrogate);
  const { status, body } = await uploadAndConfirm(surrogate, filesOf(id), pdf);
  assert.equal(status, 200, JSON.stringify(body));
  const [file] = body.files;
  assert.deepEqual(
    { ...file, id: 0, created_at: '', url: '', url_expires_at: '' },
    {
      id: 0,
      filename: 'receipt.pdf',
      content_type: 'application/pdf',
      size: pdf.content.length,
      uploaded_by: { user_type: 'surrogate', user_id: surrogate.userId, name: 'Sarah Lindgren' },
      created_at: '',
      url: '',
      url_expires_at: '',
    },
  );
  await move(surrogate, id, 'submit');
  for (const who of [surrogate, parent, manager]) {
    const [seen] = (await read(who, id)).files;
    const response = await fetch(seen?.url ?? '');
    assert.match(response.headers.get('content-disposition') ?? '', /^attachment/);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), pdf.content);
  }
  const list = (await parent.get(`/api/cases/${CASE_1}/disbursements?limit=1`)).body.data;
  assert.equal(list[0].files.length, 1);
});

test("[PICTURE-1] a receipt's picture is shown only to its uploader until its location is removed", async () => {
  const { id } = await draft(surrogate);
  const photo = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#ffffff' } })
    .withExif({ IFD0: { Make: 'Sesame' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } })
    .jpeg()
    .toBuffer();
  await uploadAndConfirm(surrogate, filesOf(id), {
    filename: 'receipt.jpg',
    content_type: 'image/jpeg',
    content: photo,
  });
  await move(surrogate, id, 'submit');
  const seenBy = async (who: Client) => (await read(who, id)).files[0];
  for (const who of [parent, manager]) {
    const { url, url_expires_at } = { url: '', url_expires_at: '', ...(await seenBy(who)) };
    assert.deepEqual([url, url_expires_at], [null, null]);
  }
  assert.equal((await fetch((await seenBy(surrogate))?.url ?? '')).status, 200);
  await api.work();
  for (const who of [surrogate, parent, manager]) {
    const bytes = Buffer.from(await (await fetch((await seenBy(who))?.url ?? '')).arrayBuffer());
    assert.ok(bytes.length > 0 && photo.includes('Sesame') && !bytes.includes('Sesame'));
  }
});

test('[REQUEST-12] only the maker adds receipts, until the request is decided', async () => {
  const { id } = await draft(surrogate);
  const announced = { filename: 'a.pdf', content_type: 'application/pdf' };
  const refused: [Client, number][] = [
    [parent, 404],
    [manager, 404],
    [finance, 403],
    [stranger, 404],
  ];
  for (const [who, status] of refused) assert.equal((await who.post(`${filesOf(id)}/upload-url`, announced)).status, status);
  await move(surrogate, id, 'submit');
  for (const who of [parent, manager]) {
    assert.equal((await who.post(`${filesOf(id)}/upload-url`, announced)).status, 403);
  }
  for (const state of ['approved', 'denied', 'cancelled', 'paid'] as const) {
    const decided = await bringTo(api, both, state);
    const answer = await surrogate.post(`${filesOf(decided)}/upload-url`, announced);
    assert.deepEqual([answer.status, answer.body.code], [409, 'wrong_state'], state);
  }
  const submitted = await bringTo(api, both, 'submitted');
  assert.equal((await uploadAndConfirm(surrogate, filesOf(submitted), pdf)).status, 200);
});

test('[UPLOAD-5] an upload is confirmed once, by its owner, for its request; after a decision it adds nothing', async () => {
  const [{ id }, other] = [await draft(surrogate), await draft(surrogate)];
  const file_key = await upload(surrogate, filesOf(id), pdf);
  for (const [who, path, status] of [
    [surrogate, filesOf(other.id), 404],
    [stranger, filesOf(id), 404],
    [parent, filesOf(id), 404],
  ] as const)
    assert.equal((await who.post(`${path}/confirm`, { file_key })).status, status, path);
  const answers = await Promise.all([1, 2, 3].map(() => surrogate.post(`${filesOf(id)}/confirm`, { file_key })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal((await read(surrogate, id)).files.length, 1);

  const late = await upload(surrogate, filesOf(id), pdf);
  await surrogate.post(`/api/disbursements/${id}/cancel`);
  assert.equal((await surrogate.post(`${filesOf(id)}/confirm`, { file_key: late })).status, 409);
  assert.equal((await read(surrogate, id)).files.length, 1);
});

test('[FILE-2] content that is not what it claims to be is rejected, and nothing is written', async () => {
  const { id } = await draft(surrogate);
  const kinds = [
    { filename: 'page.html', content_type: 'text/html' },
    { filename: 'program.exe', content_type: 'application/octet-stream' },
    { filename: 'a.pdf', content_type: 'application/pdf', size: 26 * 1024 * 1024 },
  ];
  for (const kind of kinds) assert.equal((await surrogate.post(`${filesOf(id)}/upload-url`, kind)).status, 422, kind.filename);
  const lying = { ...pdf, content: Buffer.from('<script>alert(1)</script>') };
  assert.equal((await uploadAndConfirm(surrogate, filesOf(id), lying)).status, 422);
  assert.deepEqual((await read(surrogate, id)).files, []);
});

test('[REQUEST-12] a request has twenty receipts at most, and a twenty-first is rejected even if its upload had begun', async () => {
  const neighbors = [await draft(surrogate)];
  const { id } = await draft(surrogate);
  neighbors.push(await draft(surrogate));
  await uploadAndConfirm(surrogate, filesOf(id), pdf);
  await api.pool.query(
    `insert into disbursement_file (disbursement_id, storage_key, filename, content_type, size, uploaded_by)
     select disbursement_id, storage_key || n, filename, content_type, size, uploaded_by
       from disbursement_file, generate_series(2, 19) n where disbursement_id = $1`,
    [id],
  );
  const late = await upload(surrogate, filesOf(id), pdf);
  assert.equal((await uploadAndConfirm(surrogate, filesOf(id), pdf)).status, 200);
  for (const answer of [
    await surrogate.post(`${filesOf(id)}/confirm`, { file_key: late }),
    await surrogate.post(`${filesOf(id)}/upload-url`, { filename: 'a.pdf', content_type: 'application/pdf' }),
  ])
    assert.deepEqual([answer.status, answer.body.code], [409, 'too_many_files']);
  assert.equal((await read(surrogate, id)).files.length, 20);
  for (const neighbor of neighbors)
    assert.equal((await uploadAndConfirm(surrogate, filesOf(neighbor.id), pdf)).status, 200, 'other requests take theirs');
});

test('[REQUEST-12] a receipt can be removed from a draft for good, and not from a submitted request', async () => {
  const { id } = await draft(surrogate);
  const { body } = await uploadAndConfirm(surrogate, filesOf(id), pdf);
  const fileId = body.files[0].id;
  const remove = (who: Client, path = `${filesOf(id)}/${fileId}`) => who.call('DELETE', path);
  assert.equal((await remove(finance)).status, 403);
  for (const who of [parent, stranger]) assert.equal((await remove(who)).status, 404);
  assert.equal((await remove(surrogate, `${filesOf((await draft(surrogate)).id)}/${fileId}`)).status, 404);
  await surrogate.post(`/api/disbursements/${id}/submit`);
  assert.equal((await remove(surrogate)).status, 409);
  const change = { body: '{"amount_cents":7}', headers: { 'content-type': 'application/json' } };
  await surrogate.call('PATCH', `/api/disbursements/${id}`, change);
  assert.deepEqual((await remove(surrogate)).body.files, []);
  assert.equal((await remove(surrogate)).status, 404);
  await api.work();
  assert.equal((await fetch(body.files[0].url)).status, 404);
  const { rows } = await api.pool.query(
    "select action from audit_entry where action like 'disbursement.%_file' and subject_id = $1 order by id",
    [id],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['disbursement.add_file', 'disbursement.remove_file'],
  );
});
