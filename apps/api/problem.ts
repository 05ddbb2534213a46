import { STATUS_CODES } from 'node:http';
import {
  ChangedError,
  type DomainError,
  InvalidInputError,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
} from '@case-platform/lib/errors';
import { noteLimitUse } from '@case-platform/lib/http/rate-limit-headers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';

/** The body of every failure: RFC 9457, with `message` repeating `detail` because clients read it (ERROR-1). */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Leads to the code in the reference of this API.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    message: Type.String(),
    code: Type.String({ description: 'A stable word by which programs decide.' }),
    request_id: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
    current: Type.Optional(Type.Unknown({ description: 'With the code `changed`: what was decided about, as it is now.' })),
  },
  { title: 'Problem', description: 'Problem details (RFC 9457).' },
);

const FAULT = { status: 500, code: 'internal_error', message: 'Something went wrong on our side.' };

/**
 * Makes the function that answers with problem details. Their `type` leads to the code in the reference. For an internal error
 * (undefined), they say nothing specific except the request's id.
 * @param apiUrl where the API is called.
 */
export function problemSender(apiUrl: string) {
  const reference = new URL('/docs', apiUrl).href;
  return (error: DomainError | undefined, request: FastifyRequest, reply: FastifyReply) => {
    const { status, code, message } = error ?? FAULT;
    if (error instanceof UnauthenticatedError) reply.header('www-authenticate', 'Bearer');
    if (error instanceof TooManyRequestsError && error.limit !== undefined) noteLimitUse(request, error.limit);
    if (error instanceof TooManyRequestsError || error instanceof UnavailableError) {
      reply.header('retry-after', String(error.retryAfter));
    }
    const problem = {
      type: `${reference}#${code}`,
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail: message,
      message,
      code,
      request_id: request.id,
      ...(error instanceof InvalidInputError ? { errors: error.errors } : {}),
      ...(error instanceof ChangedError && error.current !== undefined ? { current: error.current } : {}),
    };
    // Serialized here, so that the route's own response schema does not apply.
    return reply
      .code(status)
      .type('application/problem+json')
      .serializer((payload: unknown) => JSON.stringify(payload))
      .send(problem);
  };
}
