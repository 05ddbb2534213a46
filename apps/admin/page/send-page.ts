import type { Html } from '@case-platform/lib/html';
import type { FastifyReply } from 'fastify';

/** Answers with the HTML of a page. */
export function sendPage(reply: FastifyReply, page: Html): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(String(page));
}
