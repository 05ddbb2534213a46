import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { encodeForm, type FormPart } from '../../test/storage/send-form.ts';
import { receiveForm } from './receive-form.ts';
import { S3Error } from './s3-error.ts';

/** The fields and the file of a form, or the code of its rejection. */
async function received(parts: FormPart[]): Promise<unknown> {
  const { contentType, body } = encodeForm(parts);
  const request = Object.assign(Readable.from([body]), { headers: { 'content-type': contentType } });
  try {
    return await receiveForm(request as unknown as IncomingMessage, async (fields, bytes) => [
      Object.fromEntries(fields),
      (await buffer(bytes)).toString(),
    ]);
  } catch (error) {
    assert.ok(error instanceof S3Error, String(error));
    return error.code;
  }
}

const field = (name: string, value: string): FormPart => ({ name, value });
const FILE: FormPart = { name: 'file', value: 'content', filename: 'a.txt' };
const fields = (count: number) => Array.from({ length: count }, (_, at) => field(`x-${at}`, ''));

test('[UPLOAD-3] a form has its fields once, in any case of letters, before one file, and nothing after it counts', async () => {
  const rows: [what: string, parts: FormPart[], expected: unknown][] = [
    ['fields before a file', [field('Key', 'a'), field('x-AMZ-date', ''), FILE], [{ key: 'a', 'x-amz-date': '' }, 'content']],
    ['a file without a name', [field('key', 'a'), field('file', 'content')], [{ key: 'a' }, 'content']],
    ['another field with a file name', [{ ...field('key', 'a'), filename: 'x' }, FILE], [{ key: 'a' }, 'content']],
    ['fields after the file', [field('key', 'a'), FILE, field('key', 'b'), field('acl', 'x')], [{ key: 'a' }, 'content']],
    ['a field twice', [field('key', 'a'), field('KEY', 'a'), FILE], 'MalformedPOSTRequest'],
    ['no file', [field('key', 'a')], 'InvalidArgument'],
    ['two files', [field('key', 'a'), FILE, FILE], 'InvalidArgument'],
  ];
  for (const [what, parts, expected] of rows) assert.deepEqual(await received(parts), expected, what);
});

test('the fields of a form have up to 20 KiB with their names, and there are up to a hundred', async () => {
  const most = 20 * 1024;
  const rows: [what: string, parts: FormPart[], isAccepted: boolean][] = [
    ['one field', [field('key', 'x'.repeat(most - 3)), FILE], true],
    ['one field that is a byte longer', [field('key', 'x'.repeat(most - 2)), FILE], false],
    ['two fields', [field('a', 'x'.repeat(most / 2 - 1)), field('b', 'ü'.repeat(most / 4 - 1)), FILE], true],
    ['two fields that are too long together', [field('a', 'x'.repeat(most / 2)), field('b', 'ü'.repeat(most / 4)), FILE], false],
    ['a long field after the file', [FILE, field('a', 'x'.repeat(most + 1))], true],
    ['a hundred fields', [...fields(100), FILE], true],
    ['one more', [...fields(101), FILE], false],
  ];
  for (const [what, parts, isAccepted] of rows) {
    const answer = await received(parts);
    assert.equal(Array.isArray(answer) ? true : answer, isAccepted || 'MaxPostPreDataLengthExceeded', what);
  }
});
