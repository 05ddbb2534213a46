import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readWholeForm } from './whole-form.ts';

test('a form whose sender left during authentication is rejected, and not waited for', {
  timeout: 10_000,
}, async () => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'multipart/form-data; boundary=x';
  request.destroy();
  const parts = readWholeForm(request, () => assert.fail('the parser would wait for ever'));
  await assert.rejects(parts.next(), { message: 'The form is not complete.' });
});

test('[FILE-6] the parts of a form are counted the same, however the network divides it', async () => {
  const form = '--xyz\r\n\r\na\r\n--xy\r\n--xyz\r\n\r\n--xyz\r\n--xyz\r\n\r\nb\r\n--xyz--\r\n--xyz\r\n';
  for (let size = 1; size <= form.length; size++) {
    const pieces = form.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
    for (const omitted of [0, 1]) {
      const request = Readable.from(pieces.map((piece) => Buffer.from(piece))) as IncomingMessage;
      request.headers = { 'content-type': 'multipart/form-data; boundary=xyz' };
      const parts = readWholeForm(request, async function* () {
        for await (const _piece of request);
        yield* ['first', 'second', 'third', 'fourth'].slice(omitted);
      });
      const reading = Array.fromAsync(parts);
      if (omitted === 0) await reading;
      else await assert.rejects(reading, /a name that cannot be read/, `${size} bytes each`);
    }
  }
});
