import { isTemporary, parseRetryAfter } from '@case-platform/words/retry-after';

interface Details {
  /** A stable word of the API's. */
  code?: string | undefined;
  /** What is wrong with which field. */
  fields?: Record<string, string>;
  /** Seconds after which the same call may be made again. */
  retryAfter?: number | undefined;
  /** With the code `changed`: what was decided about, as it is now. */
  current?: unknown;
}

/** What an API call ended in: the API's own `message`, or the network's. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** 0 when there was no answer at all. */
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

/** The error for an answer that is not ok. `body` is what could be read of it. */
export function errorFromAnswer(status: number, body: unknown, retryAfter?: string | null): ApiError {
  const { message, code, errors, current } = isRecord(body) ? body : {};
  const words =
    typeof message === 'string' && message !== '' ? message : `The platform answered with status ${status}.`;
  return new ApiError(status, words, {
    code: typeof code === 'string' ? code : undefined,
    fields: fieldsOf(errors),
    retryAfter: parseRetryAfter(retryAfter, Date.now()) ?? undefined,
    current,
  });
}

/** What people read when there is no usable answer. */
export const NO_ANSWER = 'We can’t reach Case Platform. Check your connection and try again.';

/** The message of whatever was thrown: the API's, else the network error's. */
export function errorMessage(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : NO_ANSWER;
}

/** The API's own words to whoever asked for too much within a minute: when they can go on. Null for any other outcome. */
export function tooManyWords(outcome: unknown): string | null {
  const { status, message } = isRecord(outcome) ? outcome : {};
  return status === 429 && typeof message === 'string' ? message : null;
}

/** Refusals of a password or code that somebody who is signed in has just entered. */
const ABOUT_THE_INPUT = new Set(['wrong_password', 'wrong_code', 'challenge_ended']);

/** Whether an answer means that the API does not know this session (any more). */
export function endsSession({ status, code }: Pick<ApiError, 'status' | 'code'>): boolean {
  return status === 401 && !(code !== undefined && ABOUT_THE_INPUT.has(code));
}

/** Reads are repeated this often within a few seconds. */
const REPEATS = 2;

/** Whether a read that failed this often is repeated at once. A 429 waits for the next poll, because repeating it would prolong it. */
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
