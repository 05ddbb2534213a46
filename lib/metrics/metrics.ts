import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Receives every answer with the pattern of its route and never the path, because paths show what people look at (METRIC-3). */
export type ObserveRequest = (answer: { method: string; route: string | undefined; status: number; ms: number }) => void;

/** One value and its labels, which are our own words and never something that a person entered. */
interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

interface MetricDefinition {
  name: string;
  help: string;
  labels?: readonly string[];
  /** Called at every scrape. If it throws or takes longer than three seconds, the value is unknown. */
  read: () => readonly Sample[] | Promise<readonly Sample[]>;
}

export interface Metrics {
  observeRequest: ObserveRequest;
  /** Adds a metric that can go up and down. */
  addGauge(metric: MetricDefinition): void;
  /** Adds a metric that only grows. */
  addCounter(metric: MetricDefinition): void;
  /** Everything, in the text format that Prometheus reads (version 0.0.4). */
  text(): Promise<string>;
}

/** Addresses without a route share one label, because anyone can make them up. */
const NO_ROUTE = 'none';
/** In seconds, from a fast database answer to the time at which a call is given up. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const READ_WITHIN_MS = 3000;

/** The metrics of a process (METRIC-1, METRIC-3). */
export function createMetrics(): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Answers by the requested route, without live streams.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [register],
  });
  return {
    observeRequest: ({ method, route = NO_ROUTE, status, ms }) =>
      requests.observe({ method, route, status: String(status) }, ms / 1000),
    addGauge({ name, help, labels = [], read }) {
      new Gauge({
        name,
        help,
        labelNames: labels,
        registers: [register],
        async collect() {
          const samples = await orUnknown(read, labels);
          this.reset();
          for (const { labels = {}, value } of samples) this.set(labels, value);
        },
      });
    },
    addCounter({ name, help, labels = [], read }) {
      new Counter({
        name,
        help,
        labelNames: labels,
        registers: [register],
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

/** An unknown value is not zero: there is no sample, or NaN if the metric has no labels. */
async function orUnknown(read: MetricDefinition['read'], labels: readonly string[]): Promise<readonly Sample[]> {
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
