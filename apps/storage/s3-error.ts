import { DomainError } from '@case-platform/lib/errors';

/** The S3 error codes of this store and their HTTP status (Amazon S3 API Reference, "Error responses"). */
const STATUS_OF = {
  AccessDenied: 403,
  AccessForbidden: 403,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedPOSTRequest: 400,
  MalformedXML: 400,
  MaxMessageLengthExceeded: 400,
  MaxPostPreDataLengthExceeded: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  XAmzContentSHA256Mismatch: 400,
} as const;

export type S3ErrorCode = keyof typeof STATUS_OF;

/** A rejection in S3's words, which becomes the XML error document that S3 clients read. */
export class S3Error extends DomainError {
  readonly status: number;
  /** More elements of the error document. */
  readonly details: Readonly<Record<string, string>>;

  constructor(code: S3ErrorCode, message: string, details: Record<string, string> = {}) {
    super(code, message);
    this.status = STATUS_OF[code];
    this.details = details;
  }
}
