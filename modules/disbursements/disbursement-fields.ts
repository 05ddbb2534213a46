import { invalid } from '@case-platform/lib/errors';
import { cleanLine, cleanText, isFormula } from '@case-platform/lib/text/human-text';
import { CATEGORY_MAX, DESCRIPTION_MAX } from '@case-platform/words/limits';

/** @throws {InvalidInputError} */
export function parseCategory(category: string): string {
  const text = parseText('category', cleanLine(category), CATEGORY_MAX);
  if (isFormula(text)) throw invalid('category', `The category can’t start with ${text[0]}.`);
  return text;
}

/** @throws {InvalidInputError} */
export function parseDescription(description: string): string {
  return parseText('description', description, DESCRIPTION_MAX);
}

/** @throws {InvalidInputError} */
export function parseReason(reason: string): string {
  return parseText('reason', reason, DESCRIPTION_MAX);
}

function parseText(field: string, value: string, max: number): string {
  const text = cleanText(value);
  if (text === '') throw invalid(field, `Fill in the ${field}.`);
  if ([...text].length > max) throw invalid(field, `The ${field} can have up to ${max} characters.`);
  return text;
}
