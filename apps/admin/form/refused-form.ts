import {
  type DomainError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  TooManyRequestsError,
  UnavailableError,
} from '@case-platform/lib/errors';
import { asDomainError } from '@case-platform/lib/http/as-domain-error';
import { waitWords } from '@case-platform/words/times';
import type { FastifyRequest } from 'fastify';
import { CSRF_FIELD, STALE_FORM } from '../guards/own-requests.ts';
import type { UploadedFiles } from './read-form.ts';
import { CONFIRM_IDENTITY } from './recent-proof.ts';

/** A form that was refused, for the page that shows it again. */
export interface RefusedForm {
  /** The address that the form was sent to. A page with several forms finds the refused one by it. */
  action: string;
  /** The values that were typed, by the names of the fields. */
  values: Readonly<Record<string, unknown>>;
  /** The words above the form. */
  words: string;
  /** The words beside each wrong field, by its name. */
  errors: Readonly<Record<string, string>>;
  status: number;
  /** The error's code, for pages that treat some errors in a special way. */
  code: string;
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
}

interface SentParts {
  upload: UploadedFiles;
  /** Names of the form's fields, by the module's names where those differ. */
  names?: Readonly<Record<string, string>> | undefined;
}

/**
 * Describes a form whose command failed.
 * @throws the error itself, if the person can neither correct it nor try again.
 */
export function refusedForm(request: FastifyRequest, cause: unknown, { upload, names = {} }: SentParts): RefusedForm {
  const error = correctableError(cause);
  const errors: Record<string, string> = {};
  for (const { field, message } of error instanceof InvalidInputError ? error.errors : []) {
    // Modules count in cents, forms ask for dollars.
    const name = names[field] ?? field.replace(/_cents$/, '');
    errors[name] ??= fieldWords(field, message);
  }
  const values = (request.body ?? {}) as Record<string, unknown>;
  const { status, code } = error;
  if (error instanceof UnavailableError) request.log.warn({ err: error, request_id: request.id }, 'unavailable');
  const isWorthRetrying = error instanceof TooManyRequestsError || error instanceof UnavailableError;
  return {
    action: request.url.split('?', 1)[0] ?? '',
    values,
    words: formWords(error, Object.values(errors)) + filesWords(upload, values),
    errors,
    status,
    code,
    ...(isWorthRetrying ? { retryAfter: error.retryAfter } : {}),
  };
}

/** Refusals that a new proof of identity, or sending the form again, resolves. */
const CORRECTABLE_REFUSALS: readonly string[] = [CONFIRM_IDENTITY, STALE_FORM];

function correctableError(cause: unknown): DomainError {
  const error = asDomainError(cause);
  const isForbidden = error instanceof ForbiddenError && !CORRECTABLE_REFUSALS.includes(error.code);
  if (error === undefined || error instanceof NotFoundError || isForbidden) throw cause;
  return error;
}

function formWords(error: DomainError, errors: string[]): string {
  if (error instanceof TooManyRequestsError && error.code !== 'unfamiliar_address') {
    const [what = ''] = error.message.split(/(?<=\.)\s/);
    return `${what} Wait ${waitWords(error.retryAfter)} and try again.`;
  }
  if (errors.length > 1) return `${errors.length} fields need your attention. See the notes below.`;
  return errors[0] ?? error.message;
}

/** The words about files that were sent with a text. A browser cannot put them into the form again. */
function filesWords({ files, problem }: UploadedFiles, values: Record<string, unknown>): string {
  const hadFiles = files.length > 0 || problem !== undefined;
  const hasText = Object.keys(values).some((name) => name !== CSRF_FIELD);
  return hadFiles && hasText ? ' Please choose the files again.' : '';
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  first_name: 'The first name',
  last_name: 'The last name',
  phone: 'The phone number',
};

/** Some messages begin with the field's name as the API knows it. */
function fieldWords(field: string, message: string): string {
  const words = FIELD_WORDS[field];
  return words !== undefined && message.startsWith(`${field} `) ? words + message.slice(field.length) : message;
}
