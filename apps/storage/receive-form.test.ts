import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { receiveForm } from './receive-form.ts';

test('a form whose sender left before it was read is rejected, and not waited for', { timeout: 10_000 }, async () => {
  const request = new IncomingMessage(new Socket());
  request.headers['content-type'] = 'multipart/form-data; boundary=x';
  request.destroy();
  const received = receiveForm(request, () => assert.fail('there is no file'));
  await assert.rejects(received, { code: 'IncompleteBody' });
});
