import type { Metrics } from './metrics.ts';

interface Watching {
  internalHost: string;
  metricsToken: string | undefined;
  internalPorts: Readonly<Record<'web' | 'api' | 'admin' | 'worker', number | undefined>>;
}

export interface Watched {
  metrics: Metrics;
  /** Begins to listen. @param ready rejects while the process cannot do its work. */
  serve(ready: () => Promise<unknown>): Promise<{ port: number; stop: () => void }>;
}

/** Observes a process whose internal port is set. For others, nothing is loaded or measured. */
export async function watchProcess(
  name: keyof Watching['internalPorts'],
  { internalHost: host, metricsToken, internalPorts }: Watching,
): Promise<Watched | null> {
  const port = internalPorts[name];
  if (port === undefined) return null;
  const [{ createMetrics }, { startInternalServer }] = await Promise.all([
    import('./metrics.ts'),
    import('./internal-server.ts'),
  ]);
  const metrics = createMetrics();
  const setting = `${name.toUpperCase()}_INTERNAL_PORT`;
  return { metrics, serve: (ready) => startInternalServer({ host, port, setting, metrics, metricsToken, ready }) };
}
