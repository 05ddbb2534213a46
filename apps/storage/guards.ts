import { defineGuard, type Guard } from '@case-platform/lib/guards';
import type { FastifyRequest } from 'fastify';
import { parseRequestTarget, type RequestTarget } from './request-target.ts';
import { type Credentials, verifySignature } from './sigv4.ts';

/** A request with a valid signature. */
export interface SignedRequest {
  target: RequestTarget;
  /** The signed value for the body: a SHA-256 in hex, or `UNSIGNED-PAYLOAD`. */
  payload: string;
}

/** A form whose policy in the body still has to be checked. */
interface FormRequest {
  target: RequestTarget;
  payload: null;
}

/** Admits requests that are signed in a header or in a pre-signed address. */
export function signedRequest(credentials: Credentials, now: () => Date): Guard<SignedRequest> {
  return defineGuard('signedRequest()', (request) => identify(request, credentials, now()));
}

/** Admits signed requests, and forms, whose policy `postObject` enforces before it keeps a byte. */
export function signedRequestOrForm(credentials: Credentials, now: () => Date): Guard<SignedRequest | FormRequest> {
  return defineGuard('signedRequestOrForm()', (request): SignedRequest | FormRequest => {
    const isForm = /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
    const target = parseRequestTarget(request.raw.url ?? '/');
    if (isForm && target.key === '' && target.query.size === 0 && request.headers.authorization === undefined) {
      return { target, payload: null };
    }
    return identify(request, credentials, now());
  });
}

function identify(request: FastifyRequest, credentials: Credentials, now: Date): SignedRequest {
  const target = parseRequestTarget(request.raw.url ?? '/');
  const { method, headersDistinct } = request.raw;
  return {
    target,
    payload: verifySignature({ method: method ?? '', target, headers: headersDistinct }, credentials, now),
  };
}
