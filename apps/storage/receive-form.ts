import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { findBoundary } from '@case-platform/lib/http/whole-form';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { FormFields } from './policy.ts';
import { S3Error } from './s3-error.ts';

/** The limit for the names and values of all fields before the file (S3: 20 KB). */
const FIELDS_MAX_BYTES = 20 * 1024;
const FIELDS_MAX_COUNT = 100;
/** The limit for the file, its fields, and the same number of ignored parts, because even a part without a name costs time. */
const PARTS_MAX_COUNT = 2 * FIELDS_MAX_COUNT;
/** The parser finds delimiters of up to 256 bytes, which are a line break, two hyphens, and the boundary. */
const BOUNDARY_MAX = 252;

/**
 * Reads a form as S3 does: the fields before the file, then exactly one file, which `accept` gets as a stream that ends only
 * once the whole form has been read without an error. Fields after the file are ignored. Only the fields are kept in memory.
 * @throws {S3Error} MalformedPOSTRequest, MaxPostPreDataLengthExceeded, InvalidArgument (no file, or two), IncompleteBody;
 *   and any error of `accept`.
 */
export async function receiveForm<Result>(
  request: IncomingMessage,
  accept: (fields: FormFields, bytes: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  const parser = openParser(request);
  const fields = new Map<string, string>();
  const formEnd = Promise.withResolvers<void>();
  const result = Promise.withResolvers<Result>();
  // These may fail when no one awaits them any longer.
  formEnd.promise.catch(() => {});
  result.promise.catch(() => {});
  let file: Readable | undefined;
  let accepting: Promise<Result> | undefined;
  let fieldBytes = 0;
  // After a failure the parser still reads its buffered input, in which a file would wait for the rest of the form.
  let hasFailed = false;

  const fail = (error: Error) => {
    hasFailed = true;
    request.unpipe(parser);
    formEnd.reject(error);
    file?.destroy(error);
    // The rejection is sent once the partial file is removed.
    const rejectResult = () => result.reject(error);
    if (accepting === undefined) rejectResult();
    else accepting.then(rejectResult, rejectResult);
  };
  parser.on('field', (name, value, nameCut, valueCut) => {
    if (file !== undefined || hasFailed) return;
    fieldBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (nameCut || valueCut || fieldBytes > FIELDS_MAX_BYTES) fail(fieldsTooLarge());
    else if (fields.has(name.toLowerCase())) fail(malformed(`The field ${name} is given twice.`));
    else fields.set(name.toLowerCase(), value);
  });
  parser.on('fieldsLimit', () => fail(fieldsTooLarge()));
  parser.on('partsLimit', () => fail(malformed('It has too many parts.')));
  parser.on('file', (_name, stream) => {
    stream.on('error', () => {});
    if (file !== undefined || hasFailed) {
      stream.resume();
      if (!hasFailed) fail(notOneFile());
      return;
    }
    file = stream;
    accepting = accept(fields, untilFormEnds(stream, formEnd.promise));
    accepting.then(result.resolve, fail);
  });
  parser.on('error', (error) => fail(malformed(error instanceof Error ? error.message : '')));
  parser.on('finish', () => (file === undefined ? fail(notOneFile()) : formEnd.resolve()));
  const broken = () => fail(new S3Error('IncompleteBody', 'The connection broke before the form had arrived.'));
  request.once('error', broken).once('aborted', broken);
  // If the client has already disconnected, neither event follows.
  if (request.destroyed) broken();
  else request.pipe(parser);
  try {
    return await result.promise;
  } finally {
    request.off('error', broken).off('aborted', broken);
  }
}

/** @throws {S3Error} MalformedPOSTRequest unless the form has a boundary that the parser can find. */
function openParser(request: IncomingMessage): BusboyInstance {
  const { length } = findBoundary(request.headers['content-type']) ?? '';
  if (length === 0 || length > BOUNDARY_MAX) throw malformed(`The boundary must have 1 to ${BOUNDARY_MAX} characters.`);
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: {
        fieldNameSize: 256,
        fieldSize: FIELDS_MAX_BYTES,
        fields: FIELDS_MAX_COUNT,
        parts: PARTS_MAX_COUNT,
        headerPairs: 50,
      },
      // In S3 the name of the field decides: other fields are text even with a file name, and the file may have none.
      isPartAFile: (name) => name === 'file',
    });
  } catch {
    throw malformed('The content type cannot be read.');
  }
}

async function* untilFormEnds(file: Readable, ended: Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw error instanceof S3Error ? error : malformed('The file has no end.');
  }
  await ended;
}

function malformed(why: string): S3Error {
  return new S3Error('MalformedPOSTRequest', `The body of your POST request is not well-formed multipart/form-data. ${why}`);
}

function fieldsTooLarge(): S3Error {
  const message = 'Your POST request fields preceding the upload file were too large.';
  return new S3Error('MaxPostPreDataLengthExceeded', message);
}

function notOneFile(): S3Error {
  return new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.', { ArgumentName: 'file' });
}
