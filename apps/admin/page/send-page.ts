import type { FastifyReply } from 'fastify';

/** Answers with HTML that a view has made. */
export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}
