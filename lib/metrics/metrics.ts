import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Told of every answer: the route's pattern and never a path, as paths hold what people look at. */
export type ObserveRequest = (answered: {
  method: string;
  route: string | undefined;
  status: number;
  ms: number;
}) => void;

/** One value, by what it is told apart by. Labels are words of ours: nothing that a person has entered. */
interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

interface Shown {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Asked at every look. What it throws, or has not said within three seconds, is unknown then. */
  read: () => readonly Sample[] | Promise<readonly Sample[]>;
}

export interface Metrics {
  observeRequest: ObserveRequest;
  /** Shows what goes up and down. */
  showGauge(shown: Shown): void;
  /** Shows what only ever grows. */
  showCounter(shown: Shown): void;
  /** Everything, in the text format that Prometheus reads (version 0.0.4). */
  text(): Promise<string>;
}

/** Where there is no such route: addresses that somebody has made up are one label, not one each. */
const NO_ROUTE = 'none';
/** In seconds: from what a database answers at once to where a call is given up. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const READ_WITHIN_MS = 3000;

/** The metrics of a process (METRIC-1, METRIC-3). */
export function createMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Answers by the route that was asked for. Live streams are not among them.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [register],
  });
  return {
    observeRequest: ({ method, route = NO_ROUTE, status, ms }) =>
      requests.observe({ method, route, status: String(status) }, ms / 1000),
    showGauge({ name, help, labels = [], read }) {
      new Gauge({
        ...{ name, help, labelNames: labels, registers: [register] },
        async collect() {
          const samples = await orUnknown(read, labels);
          this.reset();
          for (const { labels = {}, value } of samples) this.set(labels, value);
        },
      });
    },
    showCounter({ name, help, labels = [], read }) {
      new Counter({
        ...{ name, help, labelNames: labels, registers: [register] },
        async collect() {
          const samples = await orUnknown(read, labels);
          this.reset();
          for (const { labels = {}, value } of samples) this.inc(labels, value);
        },
      });
    },
    text: () => register.metrics(),
  };
}

/** What cannot be read just now is not zero: no sample, and not a number where there is only one. */
async function orUnknown(read: Shown['read'], labels: readonly string[]): Promise<readonly Sample[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('not in time')), READ_WITHIN_MS);
  try {
    return await Promise.race([read(), late]);
  } catch {
    return labels.length === 0 ? [{ value: Number.NaN }] : [];
  } finally {
    clearTimeout(timer);
  }
}
