import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RefusedForm } from '../form/answer-form.ts';
import { ownCookie } from '../guards/own-cookie.ts';
import { CSRF_FIELD, isCsrfToken } from '../guards/own-requests.ts';

/** A form whose cookie the browser no longer has. */
export function staleForm(request: FastifyRequest): RefusedForm {
  const words = 'This page was open too long. Please try again.';
  return { action: request.url, values: {}, words, errors: {}, status: 403, code: 'stale_form' };
}

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
      const known = request.cookies[name];
      const token = known !== undefined && /^[\w-]{32}$/.test(known) ? known : randomBytes(24).toString('base64url');
      reply.setCookie(name, token, options);
      return token;
    },
    /**
     * Whether a form came from our page. Browsers always say where a form comes from; a client that does not, and never
     * opened the page, is no browser: it holds only its own cookies, and needs no token.
     */
    isOurs(request: FastifyRequest): boolean {
      const cookie = request.cookies[name];
      const given = (request.body as Record<string, unknown> | null | undefined)?.[CSRF_FIELD];
      if (cookie !== undefined) return isCsrfToken(given, cookie);
      const { origin, 'sec-fetch-site': site } = request.headers;
      return origin === undefined && site === undefined && given === undefined;
    },
    /** After signing in there is a session with a token of its own. */
    forget(reply: FastifyReply): void {
      reply.clearCookie(name, options);
    },
  };
}
