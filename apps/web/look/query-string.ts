/** Builds the query of a URL, including the question mark. Leaves out parts without a value; empty if none has one. */
export function queryString(parts: Record<string, string | number | boolean | null | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
