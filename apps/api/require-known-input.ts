import { invalid, UnsupportedTypeError } from '@case-platform/lib/errors';
import type { FastifyRequest } from 'fastify';

/**
 * Rejects what a call would silently ignore: a form where JSON is expected, and a filter that a list does not have (API-2).
 * @throws {UnsupportedTypeError} @throws {InvalidInputError} naming the first unknown parameter.
 */
export function requireKnownInput(request: FastifyRequest): void {
  const { body, querystring } = (request.routeOptions.schema ?? {}) as Schema;
  const isForm = /^multipart\//i.test(request.headers['content-type'] ?? '');
  if (isForm && body !== undefined && !('x-streamed' in body)) throw new UnsupportedTypeError('Send this as application/json.');
  const properties = querystring?.properties ?? {};
  if (!('cursor' in properties)) return;
  const unknown = Object.keys(request.query as object).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    throw invalid(unknown, `This list has no parameter ${unknown}. It has ${Object.keys(properties).join(', ')}.`);
}

interface Schema {
  body?: object;
  querystring?: { properties?: Record<string, object> };
}
