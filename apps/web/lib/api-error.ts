/** What an API call ended in: the API's own `message`, or the network's. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** 0 when there was no answer at all. */
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The error for an answer that is not ok. `body` is what could be read of it. */
export function errorFromAnswer(status: number, body: unknown): ApiError {
  const { message, code } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const words =
    typeof message === 'string' && message !== '' ? message : `The platform answered with status ${status}.`;
  return new ApiError(status, words, typeof code === 'string' ? code : undefined);
}

/** The message of whatever was thrown: the API's, else the network error's. */
export function errorMessage(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'The network did not answer.';
}
