import { type DomainError, NotFoundError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import { createHttpServer, type HttpServer } from '@case-platform/lib/http-server';
import type { Log } from '@case-platform/lib/log';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowOrigin, answerPreflight } from './cors.ts';
import { signedRequest, signedRequestOrForm } from './guards.ts';
import { checkBucket, openObjectStore } from './object-store.ts';
import { findOperation } from './operations.ts';
import { postObject } from './post-object.ts';
import { drainBody } from './request-body.ts';
import { S3Error } from './s3-error.ts';
import type { Credentials } from './sigv4.ts';
import { xmlDocument } from './xml.ts';

interface StorageServerOptions {
  log: Log;
  /** Folder of the disk that everything is kept in. */
  folder: string;
  /** Made at the start where it does not exist. */
  bucket: string;
  credentials: Credentials;
  /** Pages whose scripts may upload and read, for example `http://localhost:3000`. */
  origins: readonly string[];
  now?: () => Date;
}

const METHODS = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS']);

/**
 * The development object store: a faithful part of Amazon S3's REST API, path style, one pair of keys. Object addresses
 * are taken from the raw URL, because in S3 nothing about them is normalised.
 */
export async function createStorageServer(options: StorageServerOptions): Promise<HttpServer> {
  const { log, folder, bucket, credentials, origins, now = () => new Date() } = options;
  const store = await openObjectStore(folder, [bucket]);
  const app = await createHttpServer({
    log,
    ready: () => checkBucket(store, bucket),
    sendError: (error, request, reply) => {
      // An address that cannot even be routed has passed no hook.
      allowOrigin(request, reply, origins);
      return sendError(error, request, reply);
    },
    fastifyOptions: { routerOptions: { maxParamLength: 16_384 } },
  });
  // Bodies stay streams of bytes, whatever type they claim to be.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.addHook('onSend', async (request, reply) => {
    allowOrigin(request, reply, origins);
    reply.header('x-amz-request-id', request.id);
  });

  const signed = signedRequest(credentials, now);
  app.route({
    method: ['GET', 'HEAD', 'PUT', 'DELETE'],
    url: '/*',
    config: { guard: signed },
    handler: (request, reply) => {
      const call = { store, request, reply, ...signed.actor(request) };
      return findOperation(call)(call);
    },
  });
  const signedOrForm = signedRequestOrForm(credentials, now);
  app.post('/*', { config: { guard: signedOrForm } }, (request, reply) => {
    const { target, signature } = signedOrForm.actor(request);
    if (signature === null) return postObject({ store, request, reply, target, credentials, now: now() });
    const call = { store, request, reply, target, signature };
    return findOperation(call)(call);
  });
  app.options('/*', { config: { guard: publicRoute('CORS preflight') } }, (request, reply) =>
    answerPreflight(request, reply, origins),
  );
  return app;
}

/** S3's error document (Amazon S3 API Reference, "REST error responses"). */
function sendError(error: DomainError | undefined, request: FastifyRequest, reply: FastifyReply): unknown {
  const known = asS3Error(error, request.method);
  drainBody(request.raw);
  const document = xmlDocument(
    'Error',
    {
      Code: known.code,
      Message: known.message,
      ...known.details,
      Resource: (request.raw.url ?? '').split('?', 1)[0] ?? '',
      RequestId: request.id,
    },
    { namespace: false },
  );
  return reply
    .code(known.status)
    .header('content-type', 'application/xml')
    .header('x-amz-request-id', request.id)
    .removeHeader('content-length')
    .send(request.method === 'HEAD' ? undefined : document);
}

function asS3Error(error: DomainError | undefined, method: string): S3Error {
  if (error instanceof S3Error) return error;
  if (error === undefined) return new S3Error('InternalError', 'We encountered an internal error. Please try again.');
  if (error instanceof NotFoundError && !METHODS.has(method)) {
    return new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
  }
  if (error instanceof NotFoundError) return new S3Error('InvalidURI', "Couldn't parse the specified URI.");
  return new S3Error('InvalidRequest', error.message);
}
