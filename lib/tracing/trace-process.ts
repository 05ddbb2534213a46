import type { Log } from '../log.ts';
import type { Tracing } from './tracing.ts';

interface Traced {
  tracing: { endpoint: string; headers: Readonly<Record<string, string>> } | undefined;
}

/** Traces a process if OTEL_EXPORTER_OTLP_ENDPOINT is set. For others, nothing is loaded. */
export async function traceProcess(name: string, { tracing }: Traced, log: Log): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { createTracing } = await import('./tracing.ts');
  return createTracing({ ...tracing, service: `case-platform-${name}`, log });
}
