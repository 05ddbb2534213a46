const WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** What is wrong with a routing number as it is typed, before the bank's own rules are asked of the API; null when nothing is. */
export function routingNumberProblem(text: string): string | null {
  const digits = text.replaceAll(/\s/g, '');
  if (digits === '') return 'Enter your bank’s routing number.';
  if (!/^\d{9}$/.test(digits)) return 'A routing number has nine digits.';
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(digits[at]), 0);
  return sum % 10 === 0 ? null : 'This isn’t a valid routing number. Check each digit.';
}
