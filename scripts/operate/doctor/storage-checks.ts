import { randomUUID } from 'node:crypto';
import type { Config } from '@case-platform/lib/config';
import {
  closeStorage,
  createStorage,
  createUploadPolicy,
  deleteObjects,
  requireBucket,
  type Storage,
} from '@case-platform/modules/storage';
import { type Finding, fail, ok, reasonOf } from './finding.ts';

const ANSWER_WITHIN_MS = 10_000;
const SMALL = 10;

/** Checks that the platform and browsers can use the bucket. */
export async function checkStorage({ s3, webUrl, adminUrl }: Config): Promise<Finding[]> {
  const storage = createStorage(s3);
  try {
    await requireBucket(storage);
  } catch (error) {
    const advice = 'Check S3_ENDPOINT, S3_BUCKET, and the keys.';
    return [fail('bucket', `It does not answer with our key: ${reasonOf(error)}.`, advice)];
  } finally {
    closeStorage(storage);
  }
  const again = createStorage(s3);
  try {
    const origins = [webUrl, adminUrl].map((url) => new URL(url).origin);
    return [ok('bucket', 'It answers with our key.'), await checkCors(again, origins), await checkPolicy(again)];
  } finally {
    closeStorage(again);
  }
}

/** Checks that the bucket allows browsers to send files directly to it. */
async function checkCors(storage: Storage, origins: readonly string[]): Promise<Finding> {
  const advice = 'Allow POST, GET, and HEAD of these origins in the bucket’s CORS rules.';
  try {
    const { upload_url } = createUploadPolicy(
      storage,
      {
        key: 'doctor',
        contentType: 'text/plain',
        maxBytes: SMALL,
      },
      new Date(),
    );
    for (const origin of origins) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await fetch(upload_url, {
        method: 'OPTIONS',
        headers,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await answer.body?.cancel();
      const allowed = answer.headers.get('access-control-allow-origin');
      if (!answer.ok || (allowed !== origin && allowed !== '*'))
        return fail('bucket CORS', `Pages of ${origin} may not send files there.`, advice);
    }
    return ok('bucket CORS', `Pages of ${origins.join(' and ')} may send files there.`);
  } catch (error) {
    return fail('bucket CORS', `The request failed: ${reasonOf(error)}.`, advice);
  }
}

/** Sends more than the policy allows, because some stores accept it anyway. */
async function checkPolicy(storage: Storage): Promise<Finding> {
  const key = `uploads/doctor/${randomUUID()}`;
  const descriptor = createUploadPolicy(storage, { key, contentType: 'text/plain', maxBytes: SMALL }, new Date());
  const form = new FormData();
  for (const [name, value] of Object.entries(descriptor.upload_fields)) form.set(name, value);
  form.set('file', new Blob(['x'.repeat(SMALL + 1)], { type: 'text/plain' }));
  try {
    const answer = await fetch(descriptor.upload_url, {
      method: 'POST',
      body: form,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    await answer.body?.cancel();
    if (!answer.ok) return ok('bucket policy', 'An upload that is too large is rejected.');
    await deleteObjects(storage, [key]).catch(() => {});
    const advice = 'This store ignores content-length-range. Use another store, or put one in front that enforces it.';
    return fail('bucket policy', 'An upload that is too large was accepted.', advice);
  } catch (error) {
    return fail('bucket policy', `The test upload failed: ${reasonOf(error)}.`, 'Check the network between here and the store.');
  }
}
