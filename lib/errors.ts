/** One field of an input that cannot be accepted, and why, in words for the person who sent it. */
export interface FieldError {
  field: string;
  message: string;
}

/**
 * What modules throw. `code` is a stable snake_case word for programs, the message one or two sentences for people.
 * It never holds anything internal (SQL, paths, secrets): it is shown to whoever asked.
 */
export abstract class DomainError extends Error {
  abstract readonly status: number;
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

/** No valid proof of who is asking (RFC 9110, 15.5.2). */
export class UnauthenticatedError extends DomainError {
  readonly status = 401;
  constructor(message = 'Sign in to continue.', code = 'not_authenticated') {
    super(code, message);
  }
}

/** Known, but the role or permission does not allow it. */
export class ForbiddenError extends DomainError {
  readonly status = 403;
  constructor(message = 'Your role doesn’t allow this.', code = 'forbidden') {
    super(code, message);
  }
}

/** Does not exist, or the asker may not know that it exists: the two look the same from outside. */
export class NotFoundError extends DomainError {
  readonly status = 404;
  constructor(message = 'We can’t find this, or you don’t have access to it.', code = 'not_found') {
    super(code, message);
  }
}

/** There is something here, but nothing that is done by this method; `allowed` names those that are (RFC 9110, 15.5.6). */
export class MethodNotAllowedError extends DomainError {
  readonly status = 405;
  readonly allowed: readonly string[];
  constructor(allowed: readonly string[]) {
    super('method_not_allowed', `Only ${allowed.join(', ')} can be used here.`);
    this.allowed = allowed;
  }
}

/** The thing is in a state that does not allow this (any more). */
export class ConflictError extends DomainError {
  readonly status = 409;
  constructor(message: string, code = 'conflict') {
    super(code, message);
  }
}

/** What someone decided about changed since they looked at it (PERSON-6). */
export class ChangedError extends ConflictError {
  /** How it is now, where the answer can say so. */
  current?: unknown;
  constructor(message: string) {
    super(message, 'changed');
  }
}

/** More bytes than allowed. */
export class TooLargeError extends DomainError {
  readonly status = 413;
  constructor(message: string, code = 'too_large') {
    super(code, message);
  }
}

/** A content type that is not taken here. */
export class UnsupportedTypeError extends DomainError {
  readonly status = 415;
  constructor(message: string, code = 'unsupported_type') {
    super(code, message);
  }
}

/** Understood, but not acceptable; `errors` names each field. */
export class InvalidInputError extends DomainError {
  readonly status = 422;
  readonly errors: FieldError[];
  constructor(errors: FieldError[], code = 'invalid_input') {
    super(code, errors.map((error) => error.message).join(' ') || 'Check what you entered.');
    this.errors = errors;
  }
}

/** Asked too often; `retryAfter` is in whole seconds. */
export class TooManyRequestsError extends DomainError {
  readonly status = 429;
  readonly retryAfter: number;
  constructor(
    retryAfter: number,
    message = 'Too many attempts. Wait a while and try again.',
    code = 'too_many_requests',
  ) {
    super(code, message);
    this.retryAfter = Math.max(1, Math.ceil(retryAfter));
  }
}

/** Something that the platform depends on is away for now; `retryAfter` is in whole seconds. */
export class UnavailableError extends DomainError {
  readonly status = 503;
  readonly retryAfter: number;
  constructor(retryAfter = 5, message = 'This isn’t available right now. Try again in a moment.') {
    super('unavailable', message);
    this.retryAfter = retryAfter;
  }
}

/** Shorthand for the most common case: one field that cannot be accepted. */
export function invalid(field: string, message: string): InvalidInputError {
  return new InvalidInputError([{ field, message }]);
}
