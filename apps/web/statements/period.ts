/** Returns the query for the period in a URL. The API validates it. */
export function periodQuery({ from, to }: Record<string, string | string[] | undefined>): string {
  const days = Object.entries({ from, to }).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  return days.length === 0 ? '' : `?${new URLSearchParams(days)}`;
}
