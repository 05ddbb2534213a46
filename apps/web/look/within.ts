/**
 * Returns the result of `work`.
 * @throws {Error} with `words` as its message after this time; the work itself continues.
 */
export async function within<T>(milliseconds: number, work: Promise<T>, words: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(words)), milliseconds);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
