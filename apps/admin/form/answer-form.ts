import {
  ConflictError,
  type DomainError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  TooManyRequestsError,
  UnavailableError,
} from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { asDomainError } from '@case-platform/lib/http/as-domain-error';
import type { IncomingFile } from '@case-platform/modules/messaging';
import { waitWords } from '@case-platform/words/times';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CSRF_FIELD } from '../guards/own-requests.ts';
import { sendPage } from '../page/send-page.ts';
import { type UploadedFiles, uploadedFiles } from './read-form.ts';
import { CONFIRM_IDENTITY } from './recent-proof.ts';

/** A form that was refused, for the page that shows it again. */
export interface RefusedForm {
  /** The address that it was sent to, which tells a page with several forms which of them it was. */
  action: string;
  /** The values that were typed, by the names of the fields. */
  values: Readonly<Record<string, unknown>>;
  /** The words over the form. */
  words: string;
  /** The words beside each wrong field, by its name. */
  errors: Readonly<Record<string, string>>;
  status: number;
  /** The error's code, for pages that treat some errors in a special way. */
  code: string;
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
}

interface Form {
  /** Does what the form asks for, and returns the address to go to next, or the reply if that is not a redirect. */
  run: (files: IncomingFile[]) => Promise<string | FastifyReply>;
  /** Reads the page with the form again, to show what was typed and why it was refused. */
  again: (refused: RefusedForm) => Promise<Html>;
  /** Names of the form's fields, by the module's names where those differ. */
  names?: Readonly<Record<string, string>>;
  /** Where a second click leads while the first one is still being processed. */
  whileInFlight?: string;
}

/**
 * Answers a form: runs its command and redirects to the next page. If the person can correct what is wrong, the same page
 * comes back with the error's status, its words over the form and beside the fields, and everything that was typed. Any other
 * error goes to the error page.
 */
export async function answerForm(request: FastifyRequest, reply: FastifyReply, form: Form): Promise<FastifyReply> {
  await using upload = uploadedFiles(request);
  try {
    if (upload.problem !== undefined) throw upload.problem;
    const next = await form.run(upload.files);
    return typeof next === 'string' ? reply.redirect(next, 303) : next;
  } catch (error) {
    if (form.whileInFlight !== undefined && isInFlight(error)) return reply.redirect(form.whileInFlight, 303);
    const refused = refusedForm(request, correctableError(error), { upload, names: form.names });
    return sendRefused(reply, refused, await form.again(refused));
  }
}

/** Sends the page that shows a refused form again. */
export function sendRefused(reply: FastifyReply, { status, retryAfter }: RefusedForm, page: Html): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  return sendPage(reply.code(status), page);
}

function isInFlight(error: unknown): boolean {
  return error instanceof ConflictError && error.code === 'idempotency_key_in_flight';
}

/** An error that the person can correct, or that is worth another try. Others are thrown on to the error page. */
function correctableError(error: unknown): DomainError {
  const known = asDomainError(error);
  const isClosed = known instanceof ForbiddenError && known.code !== CONFIRM_IDENTITY;
  if (known === undefined || known instanceof NotFoundError || isClosed) throw error;
  return known;
}

function refusedForm(
  request: FastifyRequest,
  error: DomainError,
  { upload, names = {} }: { upload: UploadedFiles; names: Form['names'] },
): RefusedForm {
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

function formWords(error: DomainError, errors: string[]): string {
  if (error instanceof TooManyRequestsError && error.code !== 'unfamiliar_address') {
    const [what = ''] = error.message.split(/(?<=\.)\s/);
    return `${what} Wait ${waitWords(error.retryAfter)} and try again.`;
  }
  if (errors.length > 1) return `${errors.length} fields need your attention. See the notes below.`;
  return errors[0] ?? error.message;
}

/** The words about files that were sent with a text. */
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
