/** A field of an input that is rejected, and the reason in words for its sender. */
export interface FieldError {
  field: string;
  message: string;
}

/**
 * The base of all errors that modules throw. `code` is a stable snake_case word for programs, and the message one or two
 * sentences for people. The caller sees the message, so it never contains anything internal (SQL, paths, secrets).
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

/** There is no valid proof of who is calling (RFC 9110, 15.5.2). */
export class UnauthenticatedError extends DomainError {
  readonly status = 401;
  constructor(message = 'Sign in to continue.', code = 'not_authenticated') {
    super(code, message);
  }
}

/** The caller is known, but their role or permissions do not allow this. */
export class ForbiddenError extends DomainError {
  readonly status = 403;
  constructor(message = 'Your role doesn’t allow this.', code = 'forbidden') {
    super(code, message);
  }
}

/** It does not exist, or the caller may not know that it exists: the two look the same from outside (ERROR-2). */
export class NotFoundError extends DomainError {
  readonly status = 404;
  constructor(message = 'We can’t find this, or you don’t have access to it.', code = 'not_found') {
    super(code, message);
  }
}

/** The resource exists, but not for this method; `allowed` lists its methods (RFC 9110, 15.5.6). */
export class MethodNotAllowedError extends DomainError {
  readonly status = 405;
  readonly allowed: readonly string[];
  constructor(allowed: readonly string[]) {
    super('method_not_allowed', `Only ${allowed.join(', ')} can be used here.`);
    this.allowed = allowed;
  }
}

/** The resource is in a state that does not allow this. */
export class ConflictError extends DomainError {
  readonly status = 409;
  constructor(message: string, code = 'conflict') {
    super(code, message);
  }
}

/** Someone decided about an object that changed after they opened it (PERSON-6). */
export class ChangedError extends ConflictError {
  /** The current state, if the answer can show it. */
  current?: unknown;
  constructor(message: string) {
    super(message, 'changed');
  }
}

export class TooLargeError extends DomainError {
  readonly status = 413;
  constructor(message: string, code = 'too_large') {
    super(code, message);
  }
}

export class UnsupportedTypeError extends DomainError {
  readonly status = 415;
  constructor(message: string, code = 'unsupported_type') {
    super(code, message);
  }
}

/** The input was understood but is not acceptable; `errors` names each field. */
export class InvalidInputError extends DomainError {
  readonly status = 422;
  readonly errors: FieldError[];
  constructor(errors: FieldError[], code = 'invalid_input') {
    super(code, errors.map((error) => error.message).join(' ') || 'Check what you entered.');
    this.errors = errors;
  }
}

/** The state of a limit for one subject, in its current window. */
export interface LimitUse {
  name: string;
  /** How many are allowed in a window. */
  quota: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
}

/** `retryAfter` is in whole seconds. */
export class TooManyRequestsError extends DomainError {
  readonly status = 429;
  readonly retryAfter: number;
  /** The limit that was reached, if it is one of a number in a window. */
  limit?: LimitUse;
  constructor(retryAfter: number, message = 'Too many attempts. Wait a while and try again.', code = 'too_many_requests') {
    super(code, message);
    this.retryAfter = Math.max(1, Math.ceil(retryAfter));
  }
}

/** Something that the platform depends on is unavailable for now; `retryAfter` is in whole seconds. */
export class UnavailableError extends DomainError {
  readonly status = 503;
  readonly retryAfter: number;
  constructor(retryAfter = 5, message = 'This isn’t available right now. Try again in a moment.') {
    super('unavailable', message);
    this.retryAfter = retryAfter;
  }
}

/** Shorthand for the most common case, one rejected field. */
export function invalid(field: string, message: string): InvalidInputError {
  return new InvalidInputError([{ field, message }]);
}
