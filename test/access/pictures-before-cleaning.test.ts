import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { startAdmin } from '../admin/start-admin.ts';
import { CASE_1, type CastName } from '../support/cast.ts';
import { uploadAndConfirm } from '../support/direct-upload.ts';
import { grant } from '../support/grant.ts';
import { ASKED, draft, move } from '../support/money.ts';
import { startApi } from '../support/platform.ts';

/**
 * Every place that shows attached pictures, as every kind of reader sees it, before and after a picture's location was removed. An
 * address of a picture contains its storage key, so an answer or page without the key cannot open it.
 */

const READERS = ['parent', 'parent2', 'surrogate', 'manager', 'owner', 'escrow', 'root', 'finance', 'viewer'] as const;
const STAFF: readonly CastName[] = ['escrow', 'root', 'finance', 'viewer'];

const api = await startApi();
const admin = await startAdmin({ database: api, storage: api.storage });
// No permission opens a picture early, so these roles have many.
for (const role of ['finance', 'viewer'] as const)
  for (const permission of ['view_all_cases', 'edit_case_details', 'view_drs', 'edit_drs', 'approve_drs'])
    await grant(api.pool, role, permission);

const content = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#ffffff' } })
  .withExif({ IFD0: { Make: 'Sesame' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } })
  .jpeg()
  .toBuffer();
const located = (filename: string) => ({ filename, content_type: 'image/jpeg', content });

interface Place {
  what: string;
  filename: string;
  uploader: CastName;
  /** The table with the picture's row. */
  table: string;
  /** The addresses of the API and of the staff application that list it. */
  answers: string[];
  pages: string[];
}

async function addDocument(uploader: CastName): Promise<Place> {
  const path = `/api/cases/${CASE_1}/documents`;
  const filename = `of-${uploader}.jpg`;
  assert.equal((await uploadAndConfirm(await api.as(uploader), path, located(filename))).status, 200);
  const what = `a document of ${uploader}`;
  return { what, filename, uploader, table: 'case_document', answers: [path], pages: [`/cases/${CASE_1}`] };
}

async function addReceipt(): Promise<Place> {
  const surrogate = await api.as('surrogate');
  const { id } = await draft(surrogate, ASKED);
  const filename = 'receipt.jpg';
  assert.equal((await uploadAndConfirm(surrogate, `/api/disbursements/${id}/files`, located(filename))).status, 200);
  await move(surrogate, id, 'submit');
  const answers = [`/api/disbursements/${id}`, `/api/cases/${CASE_1}/disbursements`];
  return {
    what: 'a receipt',
    filename,
    uploader: 'surrogate',
    table: 'disbursement_file',
    answers,
    pages: [`/disbursements/${id}`],
  };
}

/** The readers whose answer or page contains the address of the picture, and all who were let in. */
async function readersOf({ filename, answers, pages }: Place, key: string): Promise<{ letIn: CastName[]; open: CastName[] }> {
  const [letIn, open] = [new Set<CastName>(), new Set<CastName>()];
  const see = (name: CastName, status: number, text: string) => {
    if (status !== 200 || !text.includes(filename)) return;
    letIn.add(name);
    if (text.includes(key)) open.add(name);
  };
  for (const name of READERS) {
    const client = await api.as(name);
    for (const path of answers) {
      const { status, body } = await client.get(path);
      see(name, status, JSON.stringify(body));
    }
    if (!STAFF.includes(name)) continue;
    const visitor = await admin.as(name);
    for (const path of pages) {
      const { status, text } = await visitor.get(path);
      see(name, status, text);
    }
  }
  return { letIn: [...letIn], open: [...open] };
}

for (const place of [await addDocument('parent'), await addDocument('escrow'), await addReceipt()]) {
  const { what, filename, uploader, table } = place;
  const { rows } = await api.pool.query(`select storage_key from ${table} where filename = $1`, [filename]);
  const key: string = rows[0].storage_key;
  const set = (state: string) => api.pool.query('update stored_picture set state = $2 where storage_key = $1', [key, state]);
  test(`[PICTURE-1] ${what} is opened by its uploader only, until its location was removed, and then by everyone`, async () => {
    for (const state of ['waiting', 'failed']) {
      await set(state);
      const { letIn, open } = await readersOf(place, key);
      assert.deepEqual(letIn, READERS, 'everyone reads its name');
      assert.deepEqual(open, [uploader], state);
    }
    await set('clean');
    const { letIn, open } = await readersOf(place, key);
    assert.deepEqual(open, letIn);
  });
}
