import { timingSafeEqual } from 'node:crypto';
import { ForbiddenError } from '@case-platform/lib/errors';
import type { FastifyRequest } from 'fastify';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The form field, and the header of requests that carry no form, with the session's token. */
export const CSRF_FIELD = '_csrf';
const CSRF_HEADER = 'x-csrf-token';
/** The code of a refusal of a form without a session, which works once it is sent again from a new page. */
export const STALE_FORM = 'stale_form';

export const changesState = (request: FastifyRequest) => !SAFE_METHODS.has(request.method);

/**
 * Refuses a change that was requested by a page of another site. Browsers say where a request comes from; a client that
 * does not is no browser, and holds only its own cookies.
 * @throws {ForbiddenError} also for another port of this host: the platform's other applications post nothing here.
 */
export function requireOwnPage(request: FastifyRequest, ownUrl: string): void {
  if (!changesState(request)) return;
  const { 'sec-fetch-site': site, origin, host } = request.headers;
  const foreign =
    site === undefined
      ? origin !== undefined && origin !== new URL(ownUrl).origin && hostOf(origin) !== host
      : site !== 'same-origin' && site !== 'none';
  if (foreign) throw new ForbiddenError('This request didn’t come from one of our pages.', 'cross_site_request');
}

/**
 * Checks that a form was made for this session (SESSION-4).
 * @throws {ForbiddenError} without the session's token.
 */
export function requireCsrfToken(request: FastifyRequest, expected: string): void {
  if (!changesState(request)) return;
  const body = request.body as Record<string, unknown> | null | undefined;
  const token = body?.[CSRF_FIELD] ?? request.headers[CSRF_HEADER];
  if (!isCsrfToken(token, expected)) {
    throw new ForbiddenError('This form has expired. Reload the page and send it again.', 'csrf_token');
  }
}

/** Compares in constant time. */
export function isCsrfToken(token: unknown, expected: string): boolean {
  if (typeof token !== 'string') return false;
  const [left, right] = [Buffer.from(token), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
