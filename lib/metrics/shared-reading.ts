const COUNTS_FOR_MS = 1000;

/** Shares one reading between the metrics of one scrape: it is reused for a second. */
export function createSharedReading<Reading>(read: () => Promise<Reading>): () => Promise<Reading> {
  let reading: Promise<Reading> | null = null;
  return () => {
    if (reading === null) {
      reading = read();
      const forget = () => {
        setTimeout(() => (reading = null), COUNTS_FOR_MS).unref();
      };
      reading.then(forget, forget);
    }
    return reading;
  };
}
