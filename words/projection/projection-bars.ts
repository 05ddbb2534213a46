interface Month {
  /** YYYY-MM. */
  month: string;
  available_cents: number;
}

interface Bar {
  month: string;
  x: number;
  y: number;
  width: number;
  height: number;
  isShort: boolean;
}

const HEIGHT = 120;
const MONTH_WIDTH = 48;
const GAP = 14;
/** Keeps a small amount visible. */
const LEAST = 2;

/** A case's money month by month as bars that grow from a line at zero, upwards or downwards. */
export function projectionBars(months: readonly Month[]): { width: number; height: number; zero: number; bars: Bar[] } {
  const cents = months.map(({ available_cents }) => available_cents);
  const [most, least] = [Math.max(0, ...cents), Math.min(0, ...cents)];
  const scale = HEIGHT / Math.max(1, most - least);
  const zero = Math.round(most * scale);
  const bars = months.map(({ month, available_cents }, at) => {
    const height = available_cents === 0 ? 0 : Math.max(LEAST, Math.round(Math.abs(available_cents) * scale));
    const isShort = available_cents < 0;
    return {
      month,
      isShort,
      x: at * MONTH_WIDTH + GAP / 2,
      y: isShort ? zero : zero - height,
      width: MONTH_WIDTH - GAP,
      height,
    };
  });
  return { width: months.length * MONTH_WIDTH, height: HEIGHT, zero, bars };
}
