const COUNTS_FOR_MS = 1000;

/** A reading that several metrics take at one look is taken once: it counts for a second. */
export function createSharedReading<Reading>(read: () => Promise<Reading>): () => Promise<Reading> {
  let asked: Promise<Reading> | null = null;
  return () => {
    if (asked === null) {
      asked = read();
      const forget = () => {
        setTimeout(() => (asked = null), COUNTS_FOR_MS).unref();
      };
      asked.then(forget, forget);
    }
    return asked;
  };
}
