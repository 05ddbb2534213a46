import { type DomainError, TooManyRequestsError, UnavailableError } from '@case-platform/lib/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdminContext } from '../context.ts';
import { safeNext, signInPath } from '../guards/safe-next.ts';
import { BACKGROUND_HEADER, type Visitors } from '../guards/visitors.ts';
import { errorPage } from './error-page.ts';
import { readFrame } from './frame.ts';
import { readPreferences } from './preferences.ts';

const FAULT = 'Please try again. If it keeps happening, send us the reference below.';

/** Answers a failure: a friendly page for people, a short JSON for scripts. Never a redirect. */
export function createErrorSender(context: AdminContext, visitors: Visitors) {
  return async (error: DomainError | undefined, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const status = error?.status ?? 500;
    const detail = error?.message ?? FAULT;
    reply.code(status);
    if (error instanceof TooManyRequestsError || error instanceof UnavailableError) {
      reply.header('retry-after', String(error.retryAfter));
    }
    if (!isPageWanted(request)) {
      const code = error?.code ?? 'internal_error';
      return reply.send({ status, detail, message: detail, code, request_id: request.id });
    }
    // The error page itself must not fail: without the frame it still says what happened.
    const frame = await frameOf(context, visitors, request).catch(() => null);
    const failure = {
      status,
      detail,
      requestId: request.id,
      visitId: request.visitId,
      signIn: signInPath(cameFrom(request)),
      again: { path: safeNext(cameFrom(request)), words: request.method === 'GET' ? 'Try again' : 'Go back' } as const,
    };
    return reply.type('text/html; charset=utf-8').send(String(errorPage(frame, readPreferences(request), failure)));
  };
}

async function frameOf(context: AdminContext, visitors: Visitors, request: FastifyRequest) {
  const actor = await visitors.find(request);
  return actor === null ? null : readFrame(context, request, actor);
}

function isPageWanted({ headers, routeOptions }: FastifyRequest): boolean {
  if (headers['hx-request'] !== undefined || headers[BACKGROUND_HEADER] !== undefined) return false;
  const accept = headers.accept ?? '';
  if (accept.includes('text/html')) return true;
  const isForScripts = routeOptions?.config?.guard?.name.startsWith('apiGuard') ?? false;
  return !isForScripts && !accept.includes('application/json');
}

/** The page that a failed form is on. */
function cameFrom({ headers, method, url }: FastifyRequest): string {
  if (method === 'GET') return url;
  const { referer = '', host } = headers;
  if (!URL.canParse(referer)) return '/';
  const from = new URL(referer);
  return from.host === host ? from.pathname + from.search : '/';
}
