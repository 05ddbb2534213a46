const WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1];

/** Returns the problem of a routing number, or null. Checks digits only; the API also checks the ranges in use (BANK-4). */
export function routingNumberProblem(text: string): string | null {
  const digits = text.replaceAll(/\s/g, '');
  if (digits === '') return 'Enter your bank’s routing number.';
  if (!/^\d{9}$/.test(digits)) return 'A routing number has nine digits.';
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * Number(digits[at]), 0);
  return sum % 10 === 0 ? null : 'This isn’t a valid routing number. Check each digit.';
}
