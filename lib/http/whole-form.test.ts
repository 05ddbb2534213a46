import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
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
