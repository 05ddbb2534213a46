/** Returns the problem of a typed email address, or null. Spaces around it are allowed; the API checks the rest. */
export function emailProblem(text: string): string | null {
  if (text === '') return 'Enter your email address.';
  return /^\s*\S+@\S+\s*$/.test(text) ? null : 'Enter a full email address, like name@example.com.';
}
