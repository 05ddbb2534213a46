import type { FastifyReply } from 'fastify';

const TYPES = { csv: 'text/csv; charset=utf-8', pdf: 'application/pdf' } as const;

/** Sends a download, under a name that we chose. */
export function sendFile(reply: FastifyReply, name: `${string}.${keyof typeof TYPES}`, body: string | Buffer): FastifyReply {
  const type = TYPES[name.endsWith('.csv') ? 'csv' : 'pdf'];
  return reply.headers({ 'content-type': type, 'content-disposition': `attachment; filename="${name}"` }).send(body);
}
