import { randomBytes } from 'node:crypto';
import { ForbiddenError } from '@case-platform/lib/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownCookie } from './own-cookie.ts';
import { CSRF_FIELD, isCsrfToken, STALE_FORM } from './own-requests.ts';

/**
 * The CSRF token of forms for which there is no session yet. The browser sends it twice, in the form and in a cookie that
 * pages of other sites can neither read nor set.
 */
export function createOpenForms(config: { production: boolean }) {
  // Ties the forms of someone who is not signed in yet to their browser. It gives access to nothing.
  const { name, options } = ownCookie('case_form', config, '/login');
  return {
    /** The token for a form, and the cookie that belongs to it; several open pages share one. */
    token(request: FastifyRequest, reply: FastifyReply): string {
      const cookie = request.cookies[name] ?? '';
      const token = /^[\w-]{32}$/.test(cookie) ? cookie : randomBytes(24).toString('base64url');
      reply.setCookie(name, token, options);
      return token;
    },
    /**
     * Requires that a form came from our page. Browsers always say where a form comes from. A client that does not say so and
     * never opened the page is not a browser: it has only its own cookies, and needs no token.
     * @throws {ForbiddenError} `stale_form` if the browser no longer has the form's cookie.
     */
    requireToken(request: FastifyRequest): void {
      const cookie = request.cookies[name];
      const token = (request.body as Record<string, unknown> | null | undefined)?.[CSRF_FIELD];
      const { origin, 'sec-fetch-site': site } = request.headers;
      const isByBrowser = origin !== undefined || site !== undefined || token !== undefined;
      const isOurs = cookie === undefined ? !isByBrowser : isCsrfToken(token, cookie);
      if (!isOurs) throw new ForbiddenError('This page was open too long. Please try again.', STALE_FORM);
    },
    /** After signing in there is a session with a token of its own. */
    forget(reply: FastifyReply): void {
      reply.clearCookie(name, options);
    },
  };
}
