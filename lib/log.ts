import { type Logger, pino } from 'pino';
import { currentRequest } from './request-context.ts';

export type Log = Logger;

/** Fields that are never logged, down to the third level of a logged object. */
const SECRET_FIELDS = [
  'pass_hash',
  'new_pass_hash',
  'password',
  'password_hash',
  'token',
  'tfa_token',
  'access_token',
  'refresh_token',
  'authorization',
  'cookie',
  'endpoint',
  'phone',
  'email',
  'email_address',
];

/**
 * A structured log on standard output, one JSON object per line, with the id of the current request.
 * `LOG_LEVEL` is one of pino's levels; tests use `silent`.
 */
export function createLog(name: string, level = 'info'): Log {
  return pino({
    name,
    level,
    base: { name },
    mixin() {
      const { request_id, traceparent } = currentRequest() ?? {};
      return { request_id, traceparent };
    },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[hidden]' },
  });
}
