import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAdmin } from './admin/start-admin.ts';
import { startApi } from './support/platform.ts';

/** The layers share the user records and no sessions (LAYER-1). The tests of the web frontend are in test/web. */
const api = await startApi();
const admin = await startAdmin();

test('[LAYER-1] a session of the staff application is rejected by the JSON API', async () => {
  const visitor = await admin.as('escrow');
  const value = visitor.cookies.get('case_session') ?? '';
  assert.ok(value.length > 20);
  const headers = [
    { cookie: `case_session=${value}` },
    { cookie: `api_token=${value}` },
    { authorization: `Bearer ${value}` },
    { 'x-api-key': value },
  ];
  for (const header of headers) {
    const answer = await api.anonymous.call('GET', '/api/user/me', { headers: header as Record<string, string> });
    assert.equal(answer.status, 401, Object.keys(header).join());
  }
});

test("[LAYER-1] the JSON API's tokens are rejected by the staff application", async () => {
  const { token } = await api.as('escrow');
  for (const headers of [
    { cookie: `case_session=${token}` },
    { cookie: `api_token=${token}` },
    { authorization: `Bearer ${token}` },
  ]) {
    const answer = await fetch(`${admin.baseUrl}/messages`, {
      headers: headers as Record<string, string>,
      redirect: 'manual',
    });
    assert.equal(answer.status, 302);
    assert.match(answer.headers.get('location') ?? '', /^\/login/);
  }
});
