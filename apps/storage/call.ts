import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ObjectStore } from './object-store.ts';
import type { RequestTarget } from './request-target.ts';
import type { Credentials, VerifiedSignature } from './sigv4.ts';
import { xmlDocument } from './xml.ts';

/** One signed request on its way through an operation. */
export interface Call {
  store: ObjectStore;
  request: FastifyRequest;
  reply: FastifyReply;
  target: RequestTarget;
  signature: VerifiedSignature;
}

/** A form upload: not signed as a request, but carrying a signed policy. */
export type FormCall = Omit<Call, 'signature'> & { credentials: Credentials; now: Date };

/** Answers with an XML document. */
export function sendXml(reply: FastifyReply, root: string, content: Parameters<typeof xmlDocument>[1]): FastifyReply {
  return reply.header('content-type', 'application/xml').send(xmlDocument(root, content));
}
