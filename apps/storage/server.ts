import { type DomainError, NotFoundError, TooLargeError } from '@case-platform/lib/errors';
import { publicRoute } from '@case-platform/lib/guards';
import { createHttpServer, type HttpServer } from '@case-platform/lib/http-server';
import type { Log } from '@case-platform/lib/log';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deleteObjects, headBucket, listObjects } from './bucket-operations.ts';
import { signedRequest, signedRequestOrForm } from './guards.ts';
import { type Call, copyObject, getObject, putObject } from './object-operations.ts';
import { openObjectStore, requireBucket } from './object-store.ts';
import { postObject } from './post-object.ts';
import { drainBody, PUT_MAX_BYTES } from './request-body.ts';
import { S3Error } from './s3-error.ts';
import type { Credentials } from './sigv4.ts';
import { xmlDocument } from './xml.ts';

interface StorageServerOptions {
  log: Log;
  /** The folder for all objects. */
  folder: string;
  /** The bucket, created at the start if it does not exist. */
  bucket: string;
  credentials: Credentials;
  /** Pages whose scripts may upload and read, for example `http://localhost:3000`. */
  origins: readonly string[];
  now: () => Date;
}

const METHODS = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS']);
/** The methods that pages of other origins may use, and the headers of the answer that they may read. */
const CORS_METHODS = 'GET, HEAD, POST';
const CORS_EXPOSED = 'ETag, x-amz-request-id';
const PREFLIGHT_SECONDS = 3000;
/** The limit for a form's file and fields. The policy usually sets a smaller one. */
const FORM_MAX_BYTES = PUT_MAX_BYTES + 1024 * 1024;
/** Any other parameter may name a missing part of S3 and must be rejected: `PUT key?acl` is not an upload. */
const SUPPORTED_PARAMETERS = /^(x-amz-.*|x-id|response-content-(type|disposition)|list-type|prefix|continuation-token|delete)$/i;

/**
 * Creates the development object store: the part of Amazon S3's REST API that the platform and its pages use, path style, with
 * one pair of keys. Object addresses come from the raw URL, because S3 does not normalize them.
 */
export async function createStorageServer(options: StorageServerOptions): Promise<HttpServer> {
  const { log, folder, bucket, credentials, origins, now } = options;
  const store = await openObjectStore(folder, bucket);
  const app = await createHttpServer({
    log,
    ready: () => requireBucket(store, bucket),
    sendError: (error, request, reply) => {
      // An address that cannot be routed has passed no hook, so its answer needs the header here.
      allowOrigin(request, reply, origins);
      return sendError(error, request, reply);
    },
    fastifyOptions: { routerOptions: { maxParamLength: 16_384 } },
  });
  // Bodies stay streams of bytes, whatever their content type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.addHook('onSend', async (request, reply) => {
    allowOrigin(request, reply, origins);
    reply.header('x-amz-request-id', request.id);
  });

  const signed = signedRequest(credentials, now);
  const answerSigned = (request: FastifyRequest, reply: FastifyReply) => {
    const call = { store, request, reply, ...signed.actor(request) };
    return findOperation(call)(call);
  };
  app.route({ method: ['GET', 'HEAD', 'DELETE'], url: '/*', config: { guard: signed }, handler: answerSigned });
  app.put('/*', { config: { guard: signed }, bodyLimit: PUT_MAX_BYTES }, answerSigned);
  const signedOrForm = signedRequestOrForm(credentials, now);
  app.post('/*', { config: { guard: signedOrForm }, bodyLimit: FORM_MAX_BYTES }, (request, reply) => {
    const { target, payload } = signedOrForm.actor(request);
    if (payload === null) return postObject({ store, request, reply, bucket: target.bucket, credentials, now: now() });
    const call = { store, request, reply, target, payload };
    return findOperation(call)(call);
  });
  app.options('/*', { config: { guard: publicRoute('CORS preflight') } }, (request, reply) =>
    answerPreflight(request, reply, origins),
  );
  return app;
}

/** Finds the operation of a signed request. @throws {S3Error} NotImplemented */
function findOperation({ request: { method, headers }, target: { bucket, key, query } }: Call) {
  const operation = [...query.keys()].every((name) => SUPPORTED_PARAMETERS.test(name)) && bucket !== '' ? method : '';
  const isRead = operation === 'GET' || operation === 'HEAD';
  if (key !== '' && isRead) return getObject;
  if (key !== '' && operation === 'PUT') return headers['x-amz-copy-source'] === undefined ? putObject : copyObject;
  if (key === '' && operation === 'HEAD') return headBucket;
  if (key === '' && operation === 'GET' && query.get('list-type') === '2') return listObjects;
  if (key === '' && operation === 'POST' && query.has('delete')) return deleteObjects;
  throw new S3Error('NotImplemented', 'A part of this request is not implemented here.');
}

/** Lets scripts of our own pages read the answer. Browsers do not show it to any other origin. */
function allowOrigin(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', CORS_EXPOSED);
  return true;
}

/**
 * Answers a browser's preflight request before an upload from another origin (WHATWG Fetch, CORS protocol).
 * @throws {S3Error} AccessForbidden for an origin or method that is not ours
 */
function answerPreflight(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): unknown {
  const method = request.headers['access-control-request-method'];
  if (!allowOrigin(request, reply, origins) || !CORS_METHODS.split(', ').includes(String(method))) {
    throw new S3Error('AccessForbidden', 'CORSResponse: This CORS request is not allowed.');
  }
  const headers = request.headers['access-control-request-headers'];
  if (headers !== undefined) reply.header('access-control-allow-headers', headers);
  return reply
    .header('access-control-allow-methods', CORS_METHODS)
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .code(200)
    .send();
}

/** Sends S3's error document (Amazon S3 API Reference, "REST error responses"). */
function sendError(error: DomainError | undefined, request: FastifyRequest, reply: FastifyReply): unknown {
  const s3Error = asS3Error(error, request.method);
  drainBody(request.raw);
  const document = xmlDocument(
    'Error',
    {
      Code: s3Error.code,
      Message: s3Error.message,
      ...s3Error.details,
      Resource: (request.raw.url ?? '').split('?', 1)[0] ?? '',
      RequestId: request.id,
    },
    { namespace: false },
  );
  return reply
    .code(s3Error.status)
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
  if (error instanceof TooLargeError) {
    return new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.');
  }
  if (error instanceof NotFoundError) return new S3Error('InvalidURI', "Couldn't parse the specified URI.");
  return new S3Error('InvalidRequest', error.message);
}
