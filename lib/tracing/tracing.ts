import { randomBytes } from 'node:crypto';
import type { Log } from '../log.ts';

/** The numbers of OTLP. */
const KINDS = { server: 2, consumer: 5 } as const;

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A span that has begun. */
export interface OpenSpan {
  /** Its position in the trace, to be passed on to everything that it causes (W3C Trace Context). */
  traceparent: string;
  /** @param name comes at the end, because the route is known late. */
  end(result: { name: string; failed: boolean; attributes: Attributes }): void;
}

export interface Tracing {
  begin(kind: keyof typeof KINDS, parent: string | undefined): OpenSpan;
  /** Sends the spans that are waiting. */
  stop(): Promise<void>;
}

interface TracingOptions {
  /** The base address of an OTLP/HTTP collector. */
  endpoint: string;
  /** Sent with every request, for example to authenticate. */
  headers: Readonly<Record<string, string>>;
  service: string;
  log: Log;
  sendEveryMs?: number;
}

const SEND_EVERY_MS = 2000;
const SEND_WITHIN_MS = 5000;
/** The most spans that wait to be sent; the oldest are dropped first. */
const WAITING_MAX = 2048;

/**
 * Sends spans to a collector, as OTLP's JSON over HTTP (opentelemetry-proto 1.x). This is written by hand because the official
 * packages take 28 MB for what fits on a page. A trace whose beginning was not recorded is not recorded here either.
 */
export function createTracing({ endpoint, headers, service, log, sendEveryMs = SEND_EVERY_MS }: TracingOptions): Tracing {
  const address = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  let waiting: object[] = [];
  let isLost = false;

  async function send(): Promise<void> {
    if (waiting.length === 0) return;
    const spans = waiting;
    waiting = [];
    const resource = { attributes: toAttributes({ 'service.name': service }) };
    const body = { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'case-platform' }, spans }] }] };
    try {
      const answer = await fetch(address, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(SEND_WITHIN_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      isLost = false;
    } catch (err) {
      // Logged once for each outage; spans that were not accepted are not worth keeping.
      if (!isLost) log.warn({ err }, 'traces could not be sent');
      isLost = true;
    }
  }

  const timer = setInterval(() => void send(), sendEveryMs).unref();
  return {
    begin(kind, parent) {
      const [, traceId = randomHex(16), parentSpanId, flags = '01'] = parent?.split('-') ?? [];
      if ((Number.parseInt(flags, 16) & 1) === 0) return { traceparent: parent ?? '', end() {} };
      const spanId = randomHex(8);
      const [startedAt, begun] = [Date.now(), performance.now()];
      return {
        traceparent: `00-${traceId}-${spanId}-${flags}`,
        end({ name, failed, attributes }) {
          const endedAt = startedAt + performance.now() - begun;
          if (waiting.length >= WAITING_MAX) waiting.shift();
          waiting.push({
            traceId,
            spanId,
            ...(parentSpanId === undefined ? {} : { parentSpanId }),
            name,
            kind: KINDS[kind],
            startTimeUnixNano: toNano(startedAt),
            endTimeUnixNano: toNano(endedAt),
            attributes: toAttributes(attributes),
            status: failed ? { code: 2 } : {},
          });
        },
      };
    },
    async stop() {
      clearInterval(timer);
      await send();
    },
  };
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return { key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } };
  });
}

function toNano(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
