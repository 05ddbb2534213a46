import assert from 'node:assert/strict';
import { formOf, sendForm } from '../storage/send-form.ts';
import type { Answer, Client } from './platform.ts';

interface Upload {
  filename: string;
  content_type: string;
  content: Buffer;
}

/** Does the first two of the three steps (UPLOAD-1). Returns the key to confirm. */
export async function upload(who: Client, path: string, { content, ...file }: Upload): Promise<string> {
  const begun = await who.post(`${path}/upload-url`, file);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const sent = await sendForm(begun.body.upload_url, formOf(begun.body.upload_fields, content, file.filename));
  assert.equal(sent.status, 204, sent.body);
  return begun.body.file_key;
}

/** Does all three steps. */
export async function uploadAndConfirm(who: Client, path: string, file: Upload): Promise<Answer> {
  const file_key = await upload(who, path, file);
  return who.post(`${path}/confirm`, { file_key });
}
