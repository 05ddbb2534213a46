/** What is asked of the API; the API says what it takes. */
export function periodQuery({ from, to }: Record<string, string | string[] | undefined>): string {
  const given = Object.entries({ from, to }).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
