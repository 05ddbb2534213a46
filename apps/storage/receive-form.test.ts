import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { encodeForm, type FormPart } from '../../test/storage/send-form.ts';
import { receiveForm } from './receive-form.ts';

test('a form whose sender left before it was read is rejected, and not waited for', { timeout: 10_000 }, async () => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'multipart/form-data; boundary=x';
  request.destroy();
  const received = receiveForm(request, () => assert.fail('there is no file'));
  await assert.rejects(received, { code: 'IncompleteBody' });
});

/** The fields of a form and its file, or the code of the error. */
async function receive(parts: FormPart[]): Promise<string> {
  const { contentType, body } = encodeForm(parts);
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-type': contentType };
  request.complete = true;
  for (const piece of [body, null]) request.push(piece);
  try {
    return await receiveForm(request, async (fields, bytes) => {
      const file = await Array.fromAsync(bytes);
      return `${[...fields].join(' ')} and ${Buffer.concat(file).length} bytes`;
    });
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test('[UPLOAD-3] a field has one value, however its name is written, and fields after the file do not count', async () => {
  const file = { name: 'file', value: 'x', filename: 'a.txt' };
  const key = { name: 'Key', value: 'a' };
  assert.equal(await receive([key, file]), 'key,a and 1 bytes');
  for (const name of ['Key', 'key', 'KEY'])
    assert.equal(await receive([key, { name, value: 'a' }, file]), 'MalformedPOSTRequest', name);
  assert.equal(await receive([key, file, { name: 'key', value: 'b' }]), 'key,a and 1 bytes');
  assert.equal(await receive([key]), 'InvalidArgument');
  assert.equal(await receive([key, file, file]), 'InvalidArgument');
});

test('[EDGE-2] all fields before the file have up to 20 KiB together, with their names', async () => {
  const file = { name: 'file', value: 'x', filename: 'a.txt' };
  const of = (bytes: number) =>
    receive([{ name: 'key', value: 'é' }, { name: 'more', value: 'm'.repeat(bytes - 3 - 2 - 4) }, file]);
  assert.match(await of(20 * 1024), / and 1 bytes$/);
  assert.equal(await of(20 * 1024 + 1), 'MaxPostPreDataLengthExceeded');
});
