import type { FastifyError } from 'fastify';
import { isDatabaseUnavailable, isInputRejectedByDatabase, isOvertaken } from '../database.ts';
import {
  DomainError,
  type FieldError,
  InvalidInputError,
  invalid,
  NotFoundError,
  TooLargeError,
  UnavailableError,
  UnsupportedTypeError,
} from '../errors.ts';

/** Translates an error into our own words; undefined for an internal error. */
export function asDomainError(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  const fault = error as FastifyError & { code?: string };
  if (fault.validation !== undefined) return new InvalidInputError(fault.validation.map(fieldError));
  if (isDatabaseUnavailable(error)) return new UnavailableError();
  if (isOvertaken(error)) return new UnavailableError(1);
  if (isInputRejectedByDatabase(error))
    return invalid('body', 'Part of what you entered can’t be stored. Check it and try again.');
  switch (fault.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return new TooLargeError('This is too large.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return new UnsupportedTypeError('This content type isn’t accepted here.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new NotFoundError();
    default:
      if (fault.statusCode !== undefined && fault.statusCode >= 400 && fault.statusCode < 500) {
        return invalid('body', 'We couldn’t read this request.');
      }
      return undefined;
  }
}

function fieldError({ instancePath, params, message }: { instancePath: string; params: object; message?: string }): FieldError {
  const missing = (params as { missingProperty?: string }).missingProperty;
  const field = [...instancePath.split('/').filter(Boolean), ...(missing === undefined ? [] : [missing])].join('.');
  const words = missing === undefined ? `${field || 'The input'} ${message ?? 'is not valid'}.` : `${field} is missing.`;
  return { field: field || 'body', message: words };
}
