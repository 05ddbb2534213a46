import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownCookie } from '../guards/own-cookie.ts';

/** As long as a challenge is valid. */
const SECONDS = 10 * 60;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Between the password and the code there is no session, only this cookie: the random id of a challenge, which is worth
 * nothing without its code. Browsers send it to the sign-in pages only.
 */
export function createChallengeCookie(config: { production: boolean }) {
  const { name, options } = ownCookie('case_challenge', config, '/login');
  return {
    read(request: FastifyRequest): string | undefined {
      const id = request.cookies[name];
      return id !== undefined && UUID.test(id) ? id : undefined;
    },
    set(reply: FastifyReply, id: string): void {
      reply.setCookie(name, id, { ...options, maxAge: SECONDS });
    },
    clear(reply: FastifyReply): void {
      reply.clearCookie(name, options);
    },
  };
}
