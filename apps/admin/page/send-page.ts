import type { FastifyReply } from 'fastify';

/** Answers with the HTML of a page. */
export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page);
}
