import { isTemporary, parseRetryAfter } from '@case-platform/words/retry-after';

interface Details {
  /** The API's stable word for the problem. */
  code?: string | undefined;
  /** Error messages by the name of the field. */
  fields?: Record<string, string>;
  /** In seconds. */
  retryAfter?: number | undefined;
  /** With the code `changed`, the current state of the object (REQUEST-9). */
  current?: unknown;
}

/** A failed API call. Its message is the API's, or the network error's. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** 0 if there was no usable response. */
  readonly status: number;
  readonly code: string | undefined;
  readonly fields: Record<string, string>;
  readonly retryAfter: number | undefined;
  readonly current: unknown;

  constructor(status: number, message: string, { code, fields = {}, retryAfter, current }: Details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.retryAfter = retryAfter;
    this.current = current;
  }
}

/** Makes the error for a response that is not ok. `body` is null if it was not JSON. */
export function errorFromAnswer(status: number, body: unknown, retryAfter?: string | null): ApiError {
  const { message, code, errors, current } = isRecord(body) ? body : {};
  const words = typeof message === 'string' && message !== '' ? message : `The platform answered with status ${status}.`;
  return new ApiError(status, words, {
    code: typeof code === 'string' ? code : undefined,
    fields: fieldsOf(errors),
    retryAfter: parseRetryAfter(retryAfter, Date.now()) ?? undefined,
    current,
  });
}

export const NO_ANSWER = 'We can’t reach our servers. Check your connection and try again.';

/** The message to show for anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : NO_ANSWER;
}

/**
 * The API's message if one of these reads was rejected, first that of a 429, which says when to continue. Null for outages, after
 * which the page says that nothing is lost, and for reads that succeeded.
 */
export function rejectionWords(...outcomes: unknown[]): string | null {
  const rejected = outcomes.filter(isRejection);
  return (rejected.find(({ status }) => status === 429) ?? rejected[0])?.message ?? null;
}

function isRejection(outcome: unknown): outcome is { status: number; message: string } {
  const { status, message } = isRecord(outcome) ? outcome : {};
  if (typeof status !== 'number' || typeof message !== 'string' || message === '') return false;
  return status === 429 || (status >= 400 && !isTemporary(status));
}

/** Codes of a 401 that rejects a password or code just entered, and not the session. */
const ABOUT_THE_INPUT = new Set(['wrong_password', 'wrong_code', 'challenge_ended']);

/** Whether a response means that the session is over. */
export function endsSession({ status, code }: Pick<ApiError, 'status' | 'code'>): boolean {
  return status === 401 && !(code !== undefined && ABOUT_THE_INPUT.has(code));
}

/** Whether a response means that the page does not exist for its reader (ERROR-2). */
export function isMissing({ status }: Pick<ApiError, 'status'>): boolean {
  return status === 403 || status === 404;
}

const REPEATS = 2;

/**
 * Whether a read that failed this often is repeated at once. A 429 waits for the next poll, because repeating it would prolong
 * it.
 */
export function isReadRepeated(failures: number, error: unknown): boolean {
  if (failures >= REPEATS) return false;
  const { status } = error instanceof ApiError ? error : { status: 0 };
  return status === 0 || (status !== 429 && isTemporary(status));
}

function fieldsOf(errors: unknown): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const error of Array.isArray(errors) ? errors : []) {
    if (isRecord(error) && typeof error.field === 'string' && typeof error.message === 'string') {
      fields[error.field] = error.message;
    }
  }
  return fields;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
