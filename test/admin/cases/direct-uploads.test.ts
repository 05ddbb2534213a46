import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { formOf, sendForm } from '../../storage/send-form.ts';
import { CASE_1, CASE_2, CASE_3 } from '../../support/cast.ts';
import { bringTo, draft, fundCase, move } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';
import { spreadIds } from '../../support/written-values.ts';
import { startAdmin, type Visitor } from '../start-admin.ts';

const api = await startApi();
// A route that mixes up two ids finds nothing.
await spreadIds(api);
const admin = await startAdmin({ database: api });
await fundCase(api, CASE_1, 1_000_000);
const [root, escrow, finance, viewer] = await admin.people('root', 'escrow', 'finance', 'viewer');
const { surrogate, parent } = await api.everyone();
const content = samplePdf('Receipt of the clinic');
const PDF = { filename: 'receipt.pdf', content_type: 'application/pdf', size: String(content.length) };
const SCRIPT = { accept: 'application/json', 'hx-request': 'true' };

/** Takes the three steps of an upload as the page's script does. @returns the status and body of the last answer. */
async function add(who: Visitor, path: string, file = PDF, bytes = content): Promise<{ status: number; body: string }> {
  const begun = await who.post(`${path}/upload-url`, file, SCRIPT);
  if (begun.status !== 200) return { status: begun.status, body: begun.text };
  const { upload_url, upload_fields, file_key } = JSON.parse(begun.text);
  const sent = await sendForm(upload_url, formOf(upload_fields, bytes, file.filename));
  if (sent.status !== 204) return { status: sent.status, body: sent.body };
  const { status, text } = await who.post(`${path}/confirm`, { file_key }, SCRIPT);
  return { status, body: text };
}
const staff = await api.as('escrow');
const receipts = async (id: number) => (await staff.get(`/api/disbursements/${id}`)).body.files as { id: number; url: string }[];
const documents = async () =>
  (await parent.get(`/api/cases/${CASE_1}/documents`)).body.data as { id: number; filename: string }[];

test('[UPLOAD-1, UPLOAD-10] staff add a receipt to a request, and everyone who sees it downloads it from its page', async () => {
  const { id } = await draft(surrogate);
  await move(surrogate, id, 'submit');
  assert.match((await root.get(`/disbursements/${id}`)).text, new RegExp(`data-upload="/disbursements/${id}/files"`));
  assert.equal((await add(root, `/disbursements/${id}/files`)).status, 200);
  const team = `from user_account where email_address = 'finance@demo.test'`;
  await api.pool.query(`insert into case_admin (case_id, user_id) select $1, id ${team}`, [CASE_1]);
  const page = await finance.get(`/disbursements/${id}?done=file`);
  await api.pool.query(`delete from case_admin where case_id = $1 and user_id in (select id ${team})`, [CASE_1]);
  assert.match(page.text, /The receipt was added/);
  assert.match(page.text, /Receipt added, by Ruth Adeyemi/);
  const url = /class="link" href="(http[^"]+)">receipt\.pdf</.exec(page.text)?.[1]?.replaceAll(/&(?:amp|#38);/g, '&');
  const plain = url?.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))) ?? '';
  const got = await fetch(plain);
  assert.match(got.headers.get('content-disposition') ?? '', /^attachment/);
  assert.deepEqual(Buffer.from(await got.arrayBuffer()), content);
  assert.doesNotMatch(page.text, /data-upload/, 'finance reads, and adds nothing');
});

test('[REQUEST-12] receipts are added until the request is decided, and removed from drafts only', async () => {
  const made = await escrow.post(`/cases/${CASE_1}/disbursements`, {
    amount: '12',
    category: 'Travel',
    description: 'Bus',
    payee: `surrogate:${surrogate.userId}`,
  });
  const id = Number(/disbursements\/(\d+)/.exec(made.location ?? '')?.[1]);
  const path = `/disbursements/${id}/files`;
  assert.equal((await add(escrow, path)).status, 200);
  assert.equal((await add(escrow, path)).status, 200);
  const [first, second] = await receipts(id);
  assert.equal((await escrow.post(`${path}/${first?.id}/remove`)).status, 303);
  assert.deepEqual(
    (await receipts(id)).map((file) => file.id),
    [second?.id],
  );
  assert.equal((await escrow.post(`${path}/${first?.id}/remove`)).status, 404);
  assert.equal((await escrow.post(`/disbursements/${id}/submit`)).status, 303);
  const rejected = await escrow.post(`${path}/${second?.id}/remove`);
  assert.equal(rejected.status, 409);
  assert.match(rejected.text, /can’t remove receipts/);
  await move(parent, id, 'approve');
  const late = await add(escrow, path);
  assert.deepEqual([late.status, JSON.parse(late.body).code], [409, 'wrong_state']);
  assert.equal((await receipts(id)).length, 1);
});

test('[GUARD-4] without the permission, or off the case, nothing is added', async () => {
  const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
  for (const who of [viewer, finance]) {
    assert.equal((await add(who, `/disbursements/${id}/files`)).status, 403);
    assert.equal((await add(who, `/cases/${CASE_1}/documents`)).status, 403);
    assert.equal((await who.post(`/disbursements/${id}/files/1/remove`)).status, 403);
    assert.equal((await who.post(`/cases/${CASE_1}/documents/1/remove`)).status, 403);
  }
  assert.equal((await add(escrow, `/cases/${CASE_3}/documents`)).status, 403);
  assert.equal((await receipts(id)).length, 0);
});

test('[UPLOAD-10, UPLOAD-5] staff who edit a case add documents and remove them; an upload is for its case', async () => {
  const path = `/cases/${CASE_1}/documents`;
  assert.match((await escrow.get(`/cases/${CASE_1}`)).text, new RegExp(`data-upload="${path}"`));
  assert.equal((await add(escrow, path, { ...PDF, filename: '<b>contract</b>.pdf' })).status, 200);
  const [document] = await documents();
  const page = (await escrow.get(`/cases/${CASE_1}?done=file`)).text;
  assert.match(page, /The document was added/);
  assert.doesNotMatch(page, /<b>contract/);
  const begun = JSON.parse((await escrow.post(`${path}/upload-url`, PDF, SCRIPT)).text);
  await sendForm(begun.upload_url, formOf(begun.upload_fields, content, PDF.filename));
  const { file_key } = begun;
  assert.equal((await escrow.post(`/cases/${CASE_2}/documents/confirm`, { file_key }, SCRIPT)).status, 404);
  assert.equal((await escrow.post(`${path}/${document?.id}/remove`)).status, 303);
  assert.equal((await escrow.post(`${path}/${document?.id}/remove`)).status, 404);
  assert.deepEqual(await documents(), []);
});

test('[FILE-2] content that is not what it claims to be is rejected in words for the page', async () => {
  const { id } = await draft(surrogate);
  const path = `/disbursements/${id}/files`;
  const wrong = [
    { file: { ...PDF, filename: 'run.exe', content_type: 'application/x-msdownload' }, bytes: content },
    { file: { ...PDF, size: '0' }, bytes: content },
    { file: { ...PDF, size: '5' }, bytes: Buffer.from('<html') },
    { file: { ...PDF, size: String(30 * 1024 * 1024) }, bytes: content },
  ];
  for (const { file, bytes } of wrong) {
    const { status, body } = await add(root, path, file, bytes);
    assert.ok(status >= 400 && status < 500, `${status} ${body}`);
    if (body.startsWith('{')) assert.equal(typeof JSON.parse(body).message, 'string');
  }
  assert.equal((await receipts(id)).length, 0);
});

test('[EDGE-4] pages may send files to the storage, and nowhere else', async () => {
  const policy = (await root.get('/')).headers.get('content-security-policy') ?? '';
  const { endpoint, publicEndpoint } = admin.storage.settings;
  const { origin } = new URL(publicEndpoint ?? endpoint);
  assert.ok(policy.includes(`connect-src 'self' ${origin};`), policy);
});
