import type { FastifyReply, FastifyRequest } from 'fastify';
import { S3Error } from './s3-error.ts';

const METHODS = 'GET, HEAD, PUT, POST, DELETE';
const EXPOSED = 'ETag, Location, x-amz-request-id';
const PREFLIGHT_SECONDS = 3000;

/** Lets scripts of our own pages read the answer; for any other origin the browser keeps it from them. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
  return true;
}

/**
 * Answers what a browser asks before an upload from another origin (WHATWG Fetch, CORS protocol).
 * @throws {S3Error} AccessForbidden for an origin or method that is not ours
 */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): unknown {
  const method = request.headers['access-control-request-method'];
  if (!allowOrigin(request, reply, origins) || !METHODS.split(', ').includes(String(method))) {
    throw new S3Error('AccessForbidden', 'CORSResponse: This CORS request is not allowed.');
  }
  const asked = request.headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  return reply
    .header('access-control-allow-methods', METHODS)
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .code(200)
    .send();
}
