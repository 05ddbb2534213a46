import { ConflictError } from '@case-platform/lib/errors';

/** @throws {ConflictError} `case_closed` for a case that is closed or cancelled. */
export function requireOpenCase({ status }: { status: string }): void {
  if (status === 'closed' || status === 'cancelled') throw new ConflictError('The case is closed.', 'case_closed');
}
