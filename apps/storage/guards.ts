import { defineGuard, type Guard } from '@case-platform/lib/guards';
import type { FastifyRequest } from 'fastify';
import { parseRequestTarget, type RequestTarget } from './request-target.ts';
import { type Credentials, verifySignature } from './sigv4.ts';

/** A request whose signature holds. */
export interface SignedRequest {
  target: RequestTarget;
  /** What was signed of its body: a SHA-256 in hex, or `UNSIGNED-PAYLOAD`. */
  payload: string;
}

/** A form that still has to prove itself by the policy in its body. */
interface FormRequest {
  target: RequestTarget;
  payload: null;
}

/** Lets in who signed the request, in a header or in a pre-signed address. */
export function signedRequest(credentials: Credentials, now: () => Date): Guard<SignedRequest> {
  return defineGuard('signedRequest()', (request) => identify(request, credentials, now()));
}

/** The same, and forms: theirs is the policy, which `postObject` enforces before it keeps a byte. */
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
