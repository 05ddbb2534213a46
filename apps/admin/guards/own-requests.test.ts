import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { requireCsrfToken, requireOwnPage } from './own-requests.ts';

const OWN = 'https://staff.example.org';
const request = (method: string, headers: Record<string, string>, body?: unknown) =>
  ({ method, headers: { host: 'staff.example.org', ...headers }, body }) as unknown as FastifyRequest;

test('[SESSION-4] a change requested by a page of another site is rejected', () => {
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: OWN },
    { origin: 'https://evil.example.org' },
    { origin: 'null' },
    { origin: 'https://staff.example.org.evil.example' },
  ];
  for (const headers of foreign) {
    assert.throws(() => requireOwnPage(request('POST', headers), OWN), JSON.stringify(headers));
  }
});

test('[SESSION-4] our own pages, and clients that are not browsers, are let through', () => {
  const own: Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: OWN },
    { origin: OWN, host: '10.0.0.7:4001' },
    { origin: 'http://localhost:4001', host: 'localhost:4001' },
  ];
  for (const headers of own) requireOwnPage(request('POST', headers), OWN);
  requireOwnPage(request('GET', { 'sec-fetch-site': 'cross-site' }), OWN);
});

test('[SESSION-4] a form without the token of its session is rejected', () => {
  const wrong = [undefined, null, {}, { _csrf: '' }, { _csrf: 'other' }, { _csrf: ['token'] }, { _csrf: 'token ' }];
  for (const body of wrong) assert.throws(() => requireCsrfToken(request('POST', {}, body), 'token'));
  requireCsrfToken(request('POST', {}, { _csrf: 'token' }), 'token');
  requireCsrfToken(request('POST', { 'x-csrf-token': 'token' }), 'token');
  requireCsrfToken(request('GET', {}), 'token');
});
