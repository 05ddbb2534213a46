/**
 * The result of `work`, or an error if it takes longer than this.
 * @throws {Error} with these words when the time is over; the work itself goes on.
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
