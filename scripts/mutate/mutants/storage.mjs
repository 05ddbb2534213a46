import { text } from './write.mjs';

const M = 'modules/storage';
const SWEEP = 'test/api/accounts/uploads-sweep.test.ts';
const UPLOADS = ['test/api/accounts/uploads.test.ts', 'test/api/accounts/uploads-confirmed.test.ts'];
const REPLACED = 'test/api/accounts/uploads-replaced.test.ts';
const LIMITS = 'test/api/accounts/upload-limits.test.ts';

const TABLES = ['message_file', 'case_document', 'disbursement_file', 'user_file', 'picture_rendition'];

/** Files: uploads, their confirmation, and what the sweep removes. */
// biome-ignore format: a mutant a line
export const STORAGE = [
  ...TABLES.map((table) => text(`the sweep removes what ${table} names`, `${M}/named-objects.ts`, `'${table}'`, `'(select * from ${table} where false) none'`, SWEEP)),
  text('the sweep removes everything that is old', `${M}/sweep-objects.ts`, 'keys.filter((key) => !kept.has(key))', 'keys', SWEEP),
  text('the sweep waits 25 hours', `${M}/sweep-objects.ts`, 'KEPT_MS = 24 * 3_600_000', 'KEPT_MS = 25 * 3_600_000', SWEEP),
  text('the sweep waits 23 hours', `${M}/sweep-objects.ts`, 'KEPT_MS = 24 * 3_600_000', 'KEPT_MS = 23 * 3_600_000', SWEEP),
  ...['UPLOADS_PREFIX', 'FILES_PREFIX', 'MESSAGES_PREFIX'].map((prefix) => text(`the sweep leaves what lies below ${prefix}`, `${M}/sweep-objects.ts`, '[UPLOADS_PREFIX, FILES_PREFIX, MESSAGES_PREFIX]', `[${['UPLOADS_PREFIX', 'FILES_PREFIX', 'MESSAGES_PREFIX'].filter((other) => other !== prefix).join(', ')}]`, SWEEP)),
  text('the sweep ends after one step', `${M}/sweep-objects.ts`, 'STEPS = 200', 'STEPS = 1', SWEEP),
  text('the sweep waits for whoever confirms an upload', `${M}/sweep-objects.ts`, ' for update skip locked', ' for update', SWEEP),
  text('somebody else’s upload is confirmed', `${M}/confirm-upload.ts`, 'where id = ${id} and user_id = ${user_id} and purpose', 'where id = ${id} and ${user_id} > 0 and purpose', UPLOADS),
  text('an upload is confirmed for another purpose', `${M}/confirm-upload.ts`, 'purpose = ${purpose} and subject_id = ${subject_id}', "${purpose} <> '' and subject_id = ${subject_id}", UPLOADS),
  text('an upload is confirmed for another subject', `${M}/confirm-upload.ts`, 'purpose = ${purpose} and subject_id = ${subject_id}', 'purpose = ${purpose} and ${subject_id} > 0', UPLOADS, 'test/api/cases/uploads-case-documents.test.ts'),
  text('an upload is confirmed after 13 hours', `${M}/confirm-upload.ts`, 'UPLOAD_CONFIRM_TTL = 12 * 3600', 'UPLOAD_CONFIRM_TTL = 13 * 3600', UPLOADS, LIMITS),
  text('an upload is confirmed for 11 hours', `${M}/confirm-upload.ts`, 'UPLOAD_CONFIRM_TTL = 12 * 3600', 'UPLOAD_CONFIRM_TTL = 11 * 3600', UPLOADS, LIMITS),
  text('an upload is confirmed twice at once', `${M}/confirm-upload.ts`, 'and (p.claimed_at is null or p.claimed_at < ${new Date(now.getTime() - CLAIM_TTL_MS)})', 'and ${new Date(now.getTime() - CLAIM_TTL_MS)}::timestamptz is not null', UPLOADS),
  text('an object is replaced between check and copy', `${M}/confirm-upload.ts`, '{ from, to: storage_key, etag: sent.etag }', "{ from, to: storage_key, etag: '*' }", REPLACED),
  text('what is checked is not what is kept', `${M}/confirm-upload.ts`, 'objectSource(storage, storage_key, size)', 'objectSource(storage, from, size)', REPLACED),
  text('the size is believed', `${M}/confirm-upload.ts`, 'if (size > maxBytes) {', 'if (size < 0) {', UPLOADS),
  text('another size than was announced is taken', `${M}/confirm-upload.ts`, 'claimed.size !== null && size !== claimed.size', 'claimed.size === -1', UPLOADS, REPLACED),
  text('a refused file stays', `${M}/confirm-upload.ts`, 'await refuse(db, storage, claimed);', '', UPLOADS),
  text('a failed confirmation holds the upload up', `${M}/confirm-upload.ts`, '    await giveBack(db, claimed);\n', '', UPLOADS),
  text('51 uploads are begun', `${M}/begin-upload.ts`, 'PENDING_MAX = 50', 'PENDING_MAX = 51', UPLOADS, LIMITS),
  text('49 uploads at most are begun', `${M}/begin-upload.ts`, 'PENDING_MAX = 50', 'PENDING_MAX = 49', UPLOADS, LIMITS),
  text('a byte over the largest file is begun', `${M}/begin-upload.ts`, 'size > maxBytes', 'size > maxBytes + 1', LIMITS, UPLOADS),
  text('the largest file is refused', `${M}/begin-upload.ts`, 'size > maxBytes', 'size >= maxBytes', LIMITS, UPLOADS),
];
