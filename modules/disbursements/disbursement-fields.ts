import { parseText } from '@case-platform/lib/text/typed-text';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';

/** @throws {InvalidInputError} */
export function parseDescription(description: string): string {
  return parseLong('description', description);
}

/** @throws {InvalidInputError} */
export function parseReason(reason: string): string {
  return parseLong('reason', reason);
}

function parseLong(field: string, value: string): string {
  return parseText(value, { field, label: `The ${field}`, max: DESCRIPTION_MAX, empty: `Fill in the ${field}.` });
}
