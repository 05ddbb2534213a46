import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { formOf, sendForm } from '../../storage/send-form.ts';
import { CASE_1 } from '../../support/cast.ts';
import { upload, uploadAndConfirm } from '../../support/direct-upload.ts';
import { bringTo, draft, move } from '../../support/money.ts';
import type { Client } from '../../support/platform.ts';
import { openDesk } from '../batches/batches-desk.ts';
import { CALLS, MARKS, PAGES, RECEIPT, read, TOLD, toldIn, whileListed } from './draft-marks.ts';

/** People who cannot read a draft cannot change it either, and see none of its content afterwards (DRAFT-2). */

const desk = await openDesk({ now: () => new Date() });
const { api, surrogate, parent, putAccount } = desk;
await putAccount(surrogate);
const both = { maker: surrogate, checker: parent };
const PDF = { filename: RECEIPT, content_type: 'application/pdf', content: samplePdf('Receipt') };
const PDF_FORM = { filename: RECEIPT, content_type: PDF.content_type, size: String(PDF.content.length) };
const SCRIPT = { accept: 'application/json', 'hx-request': 'true' };
const filesOf = (id: number) => `/api/disbursements/${id}/files`;
const patch = (who: Client, id: number, body: object) => change(who, 'PATCH', `/api/disbursements/${id}`, body);
const change = (who: Client, method: string, path: string, body?: object) =>
  who.call(method, path, {
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });

/** The ways in which a request becomes a draft, with a receipt. */
const DRAFTS: Record<string, () => Promise<number>> = {
  'was never sent': async () => {
    const { id } = await whileListed(api.pool, () => draft(surrogate, MARKS));
    await uploadAndConfirm(surrogate, filesOf(id), PDF);
    return id;
  },
  'was taken back by its writer': async () => {
    const fields = { ...MARKS, amount_cents: 8_765_433 };
    const id = await whileListed(api.pool, () => bringTo(api, both, 'submitted', fields));
    await uploadAndConfirm(surrogate, filesOf(id), PDF);
    assert.equal((await patch(surrogate, id, { amount_cents: 8_765_434 })).body.status, 'draft');
    return id;
  },
  'was sent back because the payee has another account': async () => {
    const { id } = await whileListed(api.pool, () => draft(surrogate, MARKS));
    await uploadAndConfirm(surrogate, filesOf(id), PDF);
    await move(surrogate, id, 'submit');
    await move(parent, id, 'approve');
    await putAccount(surrogate, { account_number: '55667788' });
    return id;
  },
  'was cancelled without having been sent': async () => {
    const { id } = await whileListed(api.pool, () => draft(surrogate, MARKS));
    await uploadAndConfirm(surrogate, filesOf(id), PDF);
    await move(surrogate, id, 'cancel');
    return id;
  },
};

for (const [how, make] of Object.entries(DRAFTS)) {
  test(`[DRAFT-2] staff of its case cannot change, submit, decide about, or add to a draft that ${how}`, async () => {
    const id = await make();
    const mine = await readByMaker(id);
    const [[fileId]] = mine.files;
    for (const name of ['escrow', 'root'] as const) {
      const who = await api.as(name);
      const { version } = (await who.get(`/api/disbursements/${id}`)).body;
      const path = `/api/disbursements/${id}`;
      const calls: [method: string, path: string, body?: object][] = [
        ['PATCH', path, { amount_cents: 1 }],
        ['PATCH', path, { payee: { user_type: 'intended_parent', user_id: parent.userId } }],
        ['PATCH', path, { category: 'Travel' }],
        ['PATCH', path, { description: 'Overwritten' }],
        ['POST', `${path}/submit`, {}],
        ['POST', `${path}/retry`, { reason: 'The bank has cleared it' }],
        ['POST', `${path}/files/upload-url`, { filename: 'a.pdf', content_type: 'application/pdf' }],
        ['DELETE', `${path}/files/${fileId}`],
        ['PUT', `${path}/chain`, { chain_id: 1 }],
        // The right version is tried as well. If it got another answer, people could check guesses about the content.
        ...[version, mine.version].flatMap((seen): [string, string, object][] => [
          ['POST', `${path}/approve`, { version: seen }],
          ['POST', `${path}/deny`, { version: seen, reason: 'No' }],
        ]),
      ];
      for (const [method, at, body] of calls) {
        const { status, body: problem } = await change(who, method, at, body);
        const what = `${name}: ${method} ${at} ${JSON.stringify(body)} ${JSON.stringify(problem)}`;
        assert.equal(status, 403, what);
        assert.match(problem.code, /^(not_yours|missing_permission)$/, what);
        assert.doesNotMatch(what, TOLD);
      }
      const staff = await desk.admin.as(name);
      const fields = { amount: '1.00', category: 'Travel', description: 'Over', payee: `ip:${parent.userId}` };
      const forms: [path: string, fields?: Record<string, string>][] = [
        ['', fields],
        ['/submit'],
        ['/approve', { version }],
        ['/approve', { version: mine.version }],
        ['/deny', { version, reason: 'No' }],
        ['/retry', { version, reason: 'The bank has cleared it' }],
        ['/files/upload-url', PDF_FORM],
        [`/files/${fileId}/remove`],
      ];
      for (const [at, sent] of forms) {
        const refused = await staff.post(`/disbursements/${id}${at}`, sent);
        assert.equal(refused.status, 403, `${name}: ${at}`);
        assert.doesNotMatch(refused.text, TOLD);
      }
      assert.deepEqual(await toldTo(name, id), []);
    }
    assert.deepEqual(await readByMaker(id), mine);
  });
}

/** Reads a draft as its maker, without the URLs of its receipts, which are signed again each time. */
async function readByMaker(id: number) {
  const { files, ...request } = (await surrogate.get(`/api/disbursements/${id}`)).body;
  return { ...request, files: files.map((file: { id: number; filename: string }) => [file.id, file.filename]) };
}

/** Returns the calls and pages about requests that show this person content of the draft. */
async function toldTo(name: 'escrow' | 'root', id: number): Promise<string[]> {
  const [who, staff] = await Promise.all([api.as(name), desk.admin.as(name)]);
  const audited = await api.pool.query(`select id from audit_entry where subject_type = 'disbursement' and subject_id = $1`, [
    id,
  ]);
  const pages = [...PAGES, `/disbursements/${id}`, `/disbursements/${id}/edit`];
  const entries = audited.rows.map((entry) => `/audit/${entry.id}`);
  return [
    ...(await toldIn([...CALLS, `/api/disbursements/${id}`], (path) => read(who, path))),
    ...(await toldIn([...pages, ...entries], async (path) => (await staff.get(path)).text)),
  ];
}

test('[DRAFT-2] a receipt that staff began to add while they read the request is not added to the draft it became', async () => {
  const escrow = await api.as('escrow');
  const id = await bringTo(api, both, 'submitted');
  const file_key = await upload(escrow, filesOf(id), PDF);
  const ofStaff = `/disbursements/${id}/files`;
  const begun = JSON.parse((await desk.escrow.post(`${ofStaff}/upload-url`, PDF_FORM, SCRIPT)).text);
  const sent = await sendForm(begun.upload_url, formOf(begun.upload_fields, PDF.content, PDF.filename));
  assert.equal(sent.status, 204);
  await patch(surrogate, id, { amount_cents: 12_600 });
  const refused = await escrow.post(`${filesOf(id)}/confirm`, { file_key });
  assert.deepEqual([refused.status, refused.body.code], [403, 'not_yours']);
  assert.equal((await desk.escrow.post(`${ofStaff}/confirm`, { file_key: begun.file_key }, SCRIPT)).status, 403);
  assert.deepEqual((await surrogate.get(`/api/disbursements/${id}`)).body.files, []);
});

test('[DRAFT-2] staff of its case cancel a draft without reading it, and its scheduled payment can be requested again', async () => {
  const escrow = await api.as('escrow');
  const planned = await api.pool.query(
    `insert into scheduled_payment (case_id, category, description, due_date, amount_cents)
     values ($1, 'Monthly', 'What the stray draft pays', '2027-01-04', 12500) returning id`,
    [CASE_1],
  );
  const fields = { ...MARKS, category: 'Monthly', scheduled_payment_id: Number(planned.rows[0].id) };
  for (const clear of [
    async (id: number) => {
      const cleared = await escrow.post(`/api/disbursements/${id}/cancel`);
      assert.equal(cleared.status, 200);
      assert.doesNotMatch(JSON.stringify(cleared.body), TOLD);
    },
    async (id: number) => assert.equal((await desk.escrow.post(`/disbursements/${id}/cancel`)).status, 303),
  ]) {
    const { id } = await whileListed(api.pool, () => draft(surrogate, fields));
    await clear(id);
    for (const name of ['escrow', 'root'] as const) assert.deepEqual(await toldTo(name, id), []);
    const { status, description } = (await surrogate.get(`/api/disbursements/${id}`)).body;
    assert.deepEqual([status, description], ['cancelled', MARKS.description]);
  }
  const { id } = await whileListed(api.pool, () => draft(surrogate, fields));
  const viewer = await api.as('viewer');
  await api.pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [CASE_1, viewer.userId]);
  assert.equal((await viewer.post(`/api/disbursements/${id}/cancel`)).status, 403, 'not without edit_drs');
});
